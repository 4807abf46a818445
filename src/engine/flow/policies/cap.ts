import { z } from 'zod';
import { cost, hasLimit, noLimit, type Policy, tokenCount } from '../index.ts';

/** 2.2 `cap`: limits the AI spend of one run. Passes enforce it (`loadCaps`). */
export const cap = {
  settings: z
    .strictObject({ maxCost: cost.nullish().describe('USD per run.'), maxTokens: tokenCount.nullish() })
    .refine(hasLimit, noLimit)
    .meta({ title: 'FlowCap' }),
} satisfies Policy<'cap'>;
