import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { environment, roles } from '../../src/settings.ts';
import { projectRoot } from '../support/build.ts';

interface ComposeService {
  environment: Record<string, string>;
  stop_grace_period: string;
}

const read = (file: string): string => readFileSync(join(projectRoot, 'deploy', file), 'utf8');
const services: Record<string, ComposeService> = parse(read('compose.yaml'), { merge: true }).services;
const ours = Object.entries(services).filter(([name]) => name !== 'postgres');
const unit = read('holdfast.service');
const dockerfile = read('Dockerfile');

const { INFERENCE_DRAIN_MS: drainMs } = environment.parse({});
/** How long a stop may take, in seconds. */
const stopS = (roleNames: string): number => 10 + (roleNames.includes('inference') ? drainMs / 1000 : 0);

describe('the files of deploy', () => {
  it('set only variables that are settings', () => {
    const ofCompose = ours.flatMap(([, service]) => Object.keys(service.environment));
    const ofImage = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, list = '']) => list.match(/\w+(?==)/g) ?? []);
    const ofUnit = [...unit.matchAll(/^Environment=(\w+)/gm)].map(([, name]) => name);
    const known = Object.keys(environment.shape);
    expect([...ofCompose, ...ofImage, ...ofUnit].filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('divide all roles among the services of Compose, none twice', () => {
    const divided = ours.flatMap(([, service]) => service.environment['ROLES']?.split(',') ?? []);
    expect(divided.sort()).toEqual([...roles].sort());
  });

  it('leave each process the time that its stop may take', () => {
    for (const [name, service] of ours) {
      const grace = Number.parseInt(service.stop_grace_period, 10);
      expect(grace, name).toBeGreaterThan(stopS(service.environment['ROLES'] ?? ''));
    }
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(stopS('inference'));
    const guide = readFileSync(join(projectRoot, 'docs/guides/deploying.md'), 'utf8');
    expect(guide).toContain(`so ${stopS('inference')} seconds with the defaults`);
  });

  it('start the same program, as an ordinary user', () => {
    const [, command = ''] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect(unit).toContain(`ExecStart=/usr/bin/${JSON.parse(command).join(' ')}\n`);
    expect(dockerfile).toMatch(/^USER \d+:\d+$/m);
    expect(unit).toMatch(/^User=holdfast$/m);
  });
});
