import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../support/engine.ts';
import { DoctorScene } from './scene.ts';

export let test: OwnedEngine;
/** A project that each case breaks and then repairs. */
export let scene: DoctorScene;
/** The checks that found a violation. */
export const found = new Set<string>();

/** Called by the test file whose cases share the scene. */
export function useSharedScene(): void {
  beforeAll(async () => {
    test = await createTestEngine();
    scene = new DoctorScene(test.engine, await createTestProject(test.engine));
  });
  afterEach(() => scene.clear());
  afterAll(() => test.close());
}

/** Exactly these checks report violations, and each message names its subject. */
export async function expectFindings(expected: Record<string, string>): Promise<void> {
  const findings = await scene.findings();
  expect(Object.keys(findings).sort()).toEqual(Object.keys(expected).sort());
  for (const [check, subject] of Object.entries(expected)) {
    found.add(check);
    expect(findings[check]).toEqual([expect.stringContaining(subject)]);
  }
}

export const ago = (ms: number): Date => new Date(Date.now() - ms);
