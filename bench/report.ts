import type { Measures } from './stats.ts';

/** Formats figures as indented lines; short groups stay on one line. */
export function reportLines(measures: Measures, indent = '  '): string[] {
  return Object.entries(measures).flatMap(([name, value]) => {
    if (typeof value === 'number') return [`${indent}${name.padEnd(22)} ${value}`];
    const entries = Object.entries(value);
    if (entries.every(([key, each]) => typeof each === 'number' && key.length < 20)) {
      return [`${indent}${name.padEnd(22)} ${entries.map(([key, each]) => `${key} ${String(each)}`).join('  ')}`];
    }
    return [`${indent}${name}`, ...reportLines(value, `${indent}  `)];
  });
}
