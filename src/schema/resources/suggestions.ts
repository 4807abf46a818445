import { pageSize } from '../../engine/paging/index.ts';
import { maxSuggestedFrom, readSuggestions } from '../../engine/runs/index.ts';
import { ageMs } from '../../engine/sharedRead.ts';
import { builder } from '../machinery/builder.ts';
import { SuggestionKindEnum } from '../machinery/enums.ts';
import { maxAgeHelp } from './runStats.ts';

builder.queryField('suggestions', (t) =>
  t.field({
    type: ['String'],
    description:
      'Values to offer for a filter, the most frequent first. They come from registered workflows, and from the ' +
      `newest ${maxSuggestedFrom} runs and events.`,
    args: {
      kind: t.arg({ type: SuggestionKindEnum, required: true, description: 'The kind of the values.' }),
      app: t.arg.string({ description: 'Only values of this app.' }),
      key: t.arg.string({ description: 'The key of the tag, for `TAG_VALUE`.' }),
      prefix: t.arg.string({ description: 'How the values begin, in any case.' }),
      limit: t.arg.int({ description: 'Length of the list: 100 by default, at most 1000.' }),
      maxAge: t.arg.int({ description: maxAgeHelp }),
    },
    resolve: (_root, { limit, maxAge, ...asked }, { engine, projectId }) =>
      readSuggestions(engine, {
        ...asked,
        projectId,
        limit: pageSize(limit, 'limit'),
        maxAgeMs: ageMs(maxAge),
      }),
  }),
);
