import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const library = fileURLToPath(new URL("../../packages/skillwright/src/", import.meta.url));

// Tests that need engines or services which a script of scripts/ci/ starts; without them they say that they skip.
export default defineConfig({
  root: fileURLToPath(new URL("../../", import.meta.url)),
  resolve: {
    alias: [
      { find: /^skillwright$/, replacement: `${library}node.ts` },
      { find: /^skillwright\/testing$/, replacement: `${library}testing/index.ts` },
      { find: /^skillwright\/(.+)$/, replacement: `${library}$1.ts` },
    ],
  },
  test: {
    include: ["test/services/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    reporters: ["default", "./scripts/count-reporter.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
