#!/usr/bin/env node
// Runs the freshet of the package for this system. It ends as freshet does.
const { spawn } = require("child_process");
const path = require("path");

const name = `@freshet-dev/freshet-${process.platform}-${process.arch}`;
let program;
try {
  program = path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", "freshet");
} catch {
  console.error(`freshet: the package ${name} is not installed: install freshet again with its optional dependencies, on Linux or macOS`);
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`freshet: ${program} cannot be run: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
