import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const library = fileURLToPath(new URL("./packages/skillwright/src/", import.meta.url));

// Tests read the sources; test/package.test.ts alone looks at what is built and packed.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^skillwright$/, replacement: `${library}node.ts` },
      { find: /^skillwright\/edge$/, replacement: `${library}index.ts` },
      { find: /^skillwright\/(agent|testing)$/, replacement: `${library}$1/index.ts` },
      { find: /^skillwright\/(.+)$/, replacement: `${library}$1.ts` },
    ],
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "test/frameworks/**", "test/services/**"],
    reporters: ["default", "./scripts/count-reporter.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
