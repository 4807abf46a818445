import { Counter, type Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import { callTally } from './tally.ts';

/** Adds the metrics of the tools of this process. */
export const mcpMetrics =
  (engine: EngineContext) =>
  (registers: Registry[]): void => {
    new Counter({
      name: 'holdfast_mcp_calls_total',
      help: 'Calls of agent tools by tool and outcome; `refused`: the caller got the reason, `fault`: it did not.',
      labelNames: ['tool', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const [tool, outcomes] of callTally(engine)) {
          for (const [outcome, calls] of outcomes) this.inc({ tool, outcome }, calls);
        }
      },
    });
  };
