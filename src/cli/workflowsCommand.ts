import type { Command } from 'commander';
import { z } from 'zod';
import { type RawJson, stringifyRaw } from '../engine/json/index.ts';
import { timingOf } from './duration.ts';
import { commandOf, jsonText, keyValue, withTiming } from './options.ts';
import { withheldBy } from './runText.ts';
import { findService } from './service.ts';
import { printText, shortTime, type Terminal, table } from './terminal.ts';

const trigger = z.object({ event: z.string().optional(), cron: z.string().optional() });

const workflows = z.array(
  z.object({
    app: z.string(),
    name: z.string(),
    maxAttempts: z.number(),
    triggers: z.array(trigger).default([]),
    updatedAt: z.coerce.date(),
    retiredAt: z.coerce.date().optional(),
  }),
);

interface Json {
  json?: boolean;
}

export const workflowsCommand = (terminal: Terminal): Command =>
  commandOf('workflows', 'list the registered workflows; retire and restore them')
    .action((options: Json) => listWorkflows(terminal, options))
    .addCommand(changeCommand(terminal, 'retire', 'let the events and schedules of a workflow start no more runs'))
    .addCommand(changeCommand(terminal, 'restore', 'restore a retired workflow'));

async function listWorkflows(terminal: Terminal, options: Json): Promise<void> {
  const { text } = await (await findService(terminal)).get('/workflows');
  const rows = workflows
    .parse(JSON.parse(text))
    .map(({ app, name, triggers, maxAttempts, updatedAt, retiredAt }) => [
      app,
      name,
      triggers.map(({ event, cron }) => event ?? `cron ${cron}`).join(', '),
      String(maxAttempts),
      shortTime(updatedAt),
      shortTime(retiredAt ?? null),
    ]);
  printText(terminal, options, text, table(['APP', 'WORKFLOW', 'TRIGGERS', 'ATTEMPTS', 'UPDATED', 'RETIRED'], rows));
}

const changeCommand = (terminal: Terminal, verb: 'retire' | 'restore', description: string): Command =>
  commandOf(verb, description)
    .argument('<app>', 'the app of the workflow')
    .argument('<workflow>', 'its name')
    .action(async (app: string, name: string, _options: Json, command: Command) => {
      const service = await findService(terminal);
      // The parent has the same options, and takes them.
      const options: Json = command.optsWithGlobals();
      const { text } = await service.post(`/workflows/${encodeURIComponent(app)}/${encodeURIComponent(name)}/${verb}`);
      printText(terminal, options, text, `${verb}d ${name} of app ${app}`);
    });

interface TriggerOptions {
  input?: RawJson;
  dedupeId?: string;
  runner?: string;
  tag?: Record<string, string>;
  startAt?: string;
  delay?: string;
  ttl?: string;
  json?: boolean;
}

const started = z.looseObject({ runId: z.string().optional() });

export const triggerCommand = (terminal: Terminal): Command =>
  withTiming(commandOf('trigger', 'start one run of a workflow, whatever its triggers are'))
    .argument('<app>', 'the app of the workflow')
    .argument('<workflow>', 'its name')
    .option('--input <json>', 'the input; default: {}', jsonText)
    .option('--dedupe-id <id>', 'a repeat within 24 hours starts nothing')
    .option('--runner <id>', 'the only runner that may execute the run')
    .option('--tag <key=value>', 'a tag of the run; repeatable', keyValue)
    .action(
      async (
        app: string,
        name: string,
        { input, dedupeId, runner, tag, startAt, delay, ttl, ...options }: TriggerOptions,
      ) => {
        const service = await findService(terminal);
        const path = `/workflows/${encodeURIComponent(app)}/${encodeURIComponent(name)}/trigger`;
        const timing = timingOf({ startAt, delay, ttl });
        const { text } = await service.post(path, stringifyRaw({ input, dedupeId, runner, tags: tag, ...timing }));
        const answer = started.parse(JSON.parse(text));
        printText(terminal, options, text, answer.runId ?? `no run was started: ${withheldBy(answer)}`);
      },
    );
