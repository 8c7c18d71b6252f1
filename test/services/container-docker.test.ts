import { docker } from "./container-engines.ts";
import { containerSuite } from "./container-suite.ts";

containerSuite(docker);
