import type { EngineLimits } from '../../src/engine/settings.ts';
import { BodyRoom } from '../../src/http/index.ts';
import { loadSettings } from '../../src/settings.ts';

/** The settings of a process with an empty environment. */
const { limits, engine, streamCommentMs } = loadSettings({});

export const usualDocumentLimits = { ...limits.document, jsonDepth: engine.limits.jsonDepth };
export const { subscriptionsPerSocket } = limits;
export const usualBodies = new BodyRoom(limits.bodiesMaxBytes);
export const usualStreams = { streamCommentMs, bodies: usualBodies, figuresMs: 0 };
/** The usual ceilings, with some that differ. */
export const limitsWith = (differing: Partial<EngineLimits>): EngineLimits => ({ ...engine.limits, ...differing });
