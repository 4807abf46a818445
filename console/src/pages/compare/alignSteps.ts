/** The beginning of a payload, and its size. */
export interface PayloadHead {
  bytes: number;
  head: string;
}

/** An attempt of a step, as a comparison needs it. */
export interface ComparedStep {
  index: number;
  attempt: number;
  name: string;
  kind: string;
  status: string;
  startedAt: string;
  durationMs?: number | null;
  inputPayload?: PayloadHead | null;
  outputPayload?: PayloadHead | null;
}

/** One thing in which the two steps of a row differ. */
export type Difference = 'absent' | 'status' | 'kind' | 'input' | 'output' | 'attempts' | 'order';

/** A step of both runs, or of one of them. */
export interface Row {
  /** Unique in the comparison: the name; with a count if a run has the name twice. */
  key: string;
  name: string;
  before: ComparedStep | undefined;
  after: ComparedStep | undefined;
  differences: Difference[];
  /** Payloads of the same size whose beginnings are alike: only the whole texts can tell. */
  isUnread: boolean;
}

/** Whether nothing tells the two steps of a row apart. */
export const isAlike = ({ differences, isUnread }: Row): boolean => differences.length === 0 && !isUnread;

/** Differences by which the runs do not part: the steps still did the same. */
const slight: readonly Difference[] = ['attempts', 'order'];

/** Whether the runs part in this row. */
export const parts = ({ differences }: Row): boolean => differences.some((each) => !slight.includes(each));

/**
 * The steps of two runs in one list, paired by name. The list keeps the order of both runs. Where
 * their orders disagree, it has that of the earlier run.
 */
export function alignSteps(before: readonly ComparedStep[], after: readonly ComparedStep[]): Row[] {
  const left = lastAttempts(before);
  const right = lastAttempts(after);
  const leftKeys = new Set(left.map(({ key }) => key));
  const rightByKey = new Map(right.map((each) => [each.key, each]));
  const placed = new Set<string>();
  const rows: Row[] = [];
  let next = 0;
  /** Places steps of the later run alone, up to the first that is paired and has no row yet. */
  const placeAdded = (): void => {
    for (; next < right.length; next += 1) {
      const step = right[next];
      if (!step || placed.has(step.key)) continue;
      if (leftKeys.has(step.key)) return;
      rows.push(rowOf(undefined, step, false));
    }
  };
  for (const step of left) {
    const partner = rightByKey.get(step.key);
    if (!partner) {
      rows.push(rowOf(step, undefined, false));
      continue;
    }
    placeAdded();
    rows.push(rowOf(step, partner, right[next] !== partner));
    placed.add(step.key);
  }
  placeAdded();
  return rows;
}

interface Keyed {
  key: string;
  step: ComparedStep;
}

/** The highest attempt of each step, in the order of execution. */
function lastAttempts(steps: readonly ComparedStep[]): Keyed[] {
  const last = new Map<number, ComparedStep>();
  for (const step of steps) {
    const known = last.get(step.index);
    if (!known || known.attempt < step.attempt) last.set(step.index, step);
  }
  const counts = new Map<string, number>();
  return [...last.values()]
    .sort((a, b) => a.index - b.index)
    .map((step) => {
      const count = (counts.get(step.name) ?? 0) + 1;
      counts.set(step.name, count);
      return { key: count === 1 ? step.name : `${step.name} (${count})`, step };
    });
}

function rowOf(before: Keyed | undefined, after: Keyed | undefined, isMoved: boolean): Row {
  const [left, right] = [before?.step, after?.step];
  const { key = '', step } = before ?? after ?? {};
  const row = { key, name: step?.name ?? '', before: left, after: right };
  if (!left || !right) return { ...row, differences: ['absent'], isUnread: false };
  const input = comparePayloads(left.inputPayload, right.inputPayload);
  const output = comparePayloads(left.outputPayload, right.outputPayload);
  const found: Record<Exclude<Difference, 'absent'>, boolean> = {
    status: left.status !== right.status,
    kind: left.kind !== right.kind,
    input: input === 'different',
    output: output === 'different',
    attempts: left.attempt !== right.attempt,
    order: isMoved,
  };
  return {
    ...row,
    differences: (Object.keys(found) as (keyof typeof found)[]).filter((name) => found[name]),
    isUnread: input === 'unread' || output === 'unread',
  };
}

/** Compares as far as the beginnings tell. Texts are compared as they were sent. */
export function comparePayloads(
  before: PayloadHead | null | undefined,
  after: PayloadHead | null | undefined,
): 'same' | 'different' | 'unread' {
  if (!before || !after) return before || after ? 'different' : 'same';
  if (before.bytes !== after.bytes || before.head !== after.head) return 'different';
  return new TextEncoder().encode(before.head).length < before.bytes ? 'unread' : 'same';
}

/** Rows that are alike, folded into one line. */
export interface Fold {
  key: string;
  rows: Row[];
}

/** Alike rows fold from this number on. */
const foldFrom = 4;

/**
 * The rows with stretches of alike ones folded, except for the stretches that are open. A row that
 * is open itself is not folded.
 */
export function foldAlike(rows: readonly Row[], open: ReadonlySet<string>, openRow?: string): (Row | Fold)[] {
  const list: (Row | Fold)[] = [];
  let stretch: Row[] = [];
  const end = (): void => {
    const key = `alike from ${stretch[0]?.key}`;
    if (stretch.length < foldFrom || open.has(key)) list.push(...stretch);
    else list.push({ key, rows: stretch });
    stretch = [];
  };
  for (const row of rows) {
    if (isAlike(row) && row.key !== openRow) {
      stretch.push(row);
      continue;
    }
    end();
    list.push(row);
  }
  end();
  return list;
}
