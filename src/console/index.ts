export { type BuiltConsole, consoleFolder, readBuiltConsole } from './builtFiles.ts';
export { type ConsoleOptions, serveConsole } from './serveConsole.ts';
