/** The name that a runner reports. The version is the package's. */
export const sdkName = '@holdfast/sdk';
export const sdkVersion = '0.1.0';
export const language = 'typescript';

export const runtime =
  process.versions.bun !== undefined ? 'bun' : process.versions.deno !== undefined ? 'deno' : 'node';
