import { z } from 'zod';
import { cost, hasLimit, noLimit, type Policy, tokenCount } from '../index.ts';

/** 2.2 `cap`: limits what one run spends on AI. Passes hold it (`loadCaps`). */
export const cap = {
  settings: z
    .strictObject({ maxCost: cost.nullish().describe('USD per run.'), maxTokens: tokenCount.nullish() })
    .refine(hasLimit, noLimit)
    .meta({ title: 'FlowCap' }),
} satisfies Policy<'cap'>;
