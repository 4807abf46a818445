import { bool, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';

/** Stores whether workflows are retired. The caller holds their locks. */
export const setRetirements = statement<{ id: string }>('setRetirements').writes({
  params: {
    changes: rowset({
      id: uuid,
      retiredAt: timestamptz.orNull,
      retiredBy: text.orNull,
      unservedAt: timestamptz.orNull,
      heldByHand: bool,
    }),
  },
  text: `
    update workflow w set
      retired_at = given.retired_at,
      retired_by = given.retired_by,
      unserved_at = given.unserved_at,
      held_by_hand = given.held_by_hand
    from $changes as given
    where w.id = given.id
    returning w.id`,
});
