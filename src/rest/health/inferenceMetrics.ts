import { Counter, Gauge, type Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import { inferenceTally } from '../../engine/inference/index.ts';

/** Metrics of offloaded model calls of this process. Its tally bounds the names of labels. */
export function inferenceMetrics(engine: EngineContext, registers: Registry[]): void {
  const tally = inferenceTally(engine);
  new Counter({
    name: 'holdfast_inference_sends_total',
    help: 'Requests to model providers by this process, by provider and outcome.',
    labelNames: ['provider', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [provider, outcomes] of tally.sends) {
        for (const [outcome, sends] of outcomes) this.inc({ provider, outcome }, sends);
      }
    },
  });
  new Gauge({
    name: 'holdfast_inference_requests',
    help: 'Requests to model providers in flight in this process.',
    registers,
    collect() {
      this.set(tally.inFlight);
    },
  });
  new Counter({
    name: 'holdfast_inference_holds_total',
    help: 'Answers to this process after which the calls of a key and model were held, by provider.',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset();
      for (const [provider, holds] of tally.holds) this.inc({ provider }, holds);
    },
  });
  new Counter({
    name: 'holdfast_inference_tokens_total',
    help: 'Tokens of offloaded model calls of this process, by model and direction; at most 50 models, then `other`.',
    labelNames: ['model', 'direction'],
    registers,
    collect() {
      this.reset();
      for (const [model, tokens] of tally.tokens) {
        this.inc({ model, direction: 'in' }, tokens.in);
        this.inc({ model, direction: 'out' }, tokens.out);
      }
    },
  });
  new Counter({
    name: 'holdfast_inference_cache_hits_total',
    help: 'Offloaded model calls that this process answered without a request.',
    registers,
    collect() {
      this.reset();
      this.inc(tally.cacheHits);
    },
  });
}
