import { type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';

const runnersSearch = object({
  app: text,
  /** Only runners that serve a workflow of this name. */
  workflow: text,
  show: oneOf(['live', 'gone']),
});

export type RunnersSearch = Infer<typeof runnersSearch>;

export const readRunnersSearch = readBy(runnersSearch);
