import type { LanguageModelV3 } from '@ai-sdk/provider';
import { durable, durableTools } from '@holdfast/sdk/ai-sdk';
import { ToolLoopAgent, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';

let forecasts = 0;

const tools = {
  forecast: tool({
    description: 'The weather of a city tomorrow.',
    inputSchema: z.object({ city: z.string() }),
    async execute({ city }) {
      forecasts += 1;
      if (forecasts === 1) throw new Error('the weather service went away (simulated)');
      return { city, degrees: city === 'Rome' ? 24 : 16 };
    },
  }),
};

/**
 * An agent as one would write it without Holdfast. The middleware and `durableTools` make it
 * durable: each call of the model, and of a tool, becomes a step of the run.
 */
export function travelAgent(model: LanguageModelV3) {
  return new ToolLoopAgent({
    model: wrapLanguageModel({ model, middleware: durable() }),
    instructions: 'You recommend where to travel. Be brief.',
    tools: durableTools(tools),
  });
}
