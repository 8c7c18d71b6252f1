import { gvisor } from "./container-engines.ts";
import { containerSuite } from "./container-suite.ts";

containerSuite(gvisor);
