import { loadSettings } from '../../src/settings.ts';

/** The settings of a process with an empty environment. */
const { limits, engine, streamCommentMs } = loadSettings({});

export const usualDocumentLimits = { ...limits.document, jsonDepth: engine.limits.jsonDepth };
export const { streamsPerKey, subscriptionsPerSocket } = limits;
export const usualStreams = { streamCommentMs, maxStreamsPerKey: limits.streamsPerKey };
