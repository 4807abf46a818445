/**
 * Estimates how many instructions a pattern compiles to, without compiling it: its atoms, times
 * their repetitions. A malformed pattern has some estimate, too.
 */
export function estimateInstructions(source: string): number {
  /** The sizes of the open groups, outermost first. */
  const outer: number[] = [];
  let group = 0;
  /** The size of what a repetition would repeat. */
  let atom = 0;
  for (const token of source.matchAll(tokens)) {
    const [text] = token;
    if (text.startsWith('(')) {
      outer.push(group);
      group = 0;
      atom = 0;
    } else if (text === ')') {
      atom = group + 2;
      group = (outer.pop() ?? 0) + atom;
    } else if (text.startsWith('{') && text.length > 1) {
      const times = Math.max(...text.slice(1, -1).split(',').map(Number));
      group += atom * Math.max(times - 1, 0);
      atom *= Math.max(times, 1);
    } else {
      atom = text.startsWith('\\Q') ? text.length : 1;
      group += atom;
    }
  }
  return outer.reduce((sum, each) => sum + each, group);
}

/**
 * Literal texts, escapes, classes, the beginnings of groups, repetitions, and single characters. A
 * class may begin with `]`, and hold classes such as `[:alpha:]`. An open one ends with the
 * pattern, so that the search is linear.
 */
const tokens =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\[pPx]\{[^}]*\}|\\.|[^\]\\])*(?:\]|$)|\(\?P?<\w*>|\(\?[a-zA-Z-]*:|\(|\{\d+(?:,\d*)?\}|./gsu;
