/** The directory for CPU profiles of the service and the runner; absent: no profiles. */
export type Profiling = string | undefined;

/** Flags that make Node write a CPU profile when the process ends. */
export function profilingFlags(directory: Profiling, role: string): string[] {
  if (directory === undefined) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${directory}`, `--cpu-prof-name=${role}-${Date.now()}.cpuprofile`];
}
