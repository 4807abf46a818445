import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../support/engine.ts';
import { DoctorScene } from './scene.ts';

export let test: OwnedEngine;
/** One project that each case breaks in its way; afterwards it is healthy again. */
export let scene: DoctorScene;
/** The checks that found something. */
export const found = new Set<string>();

/** To be called by the file of tests whose cases share this. */
export function useSharedScene(): void {
  beforeAll(async () => {
    test = await createTestEngine();
    scene = new DoctorScene(test.engine, await createTestProject(test.engine));
  });
  afterEach(() => scene.clear());
  afterAll(() => test.close());
}

/** Exactly these checks speak up; each names the subject. */
export async function expectFindings(expected: Record<string, string>): Promise<void> {
  const findings = await scene.findings();
  expect(Object.keys(findings).sort()).toEqual(Object.keys(expected).sort());
  for (const [check, subject] of Object.entries(expected)) {
    found.add(check);
    expect(findings[check]).toEqual([expect.stringContaining(subject)]);
  }
}

export const ago = (ms: number): Date => new Date(Date.now() - ms);
