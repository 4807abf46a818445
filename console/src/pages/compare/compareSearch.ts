import { flag, type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';

const compareSearch = object({
  /** The run that the page was opened from. */
  a: text,
  /** The other run. By default, the one that `a` repeats. */
  b: text,
  /** The open row: the name of its step. By default, the row in which the runs part. */
  step: text,
  /** No row is open. */
  closed: flag,
  /** The open payload of the runs themselves. */
  open: oneOf(['input', 'result']),
});

export type CompareSearch = Infer<typeof compareSearch>;
export const readCompareSearch = readBy(compareSearch);
