import type { EngineContext } from '../engine/context.ts';
import type { BodyRoom } from '../http/index.ts';
import type { Settings } from './declare/settings.ts';
import { AllowedPages } from './http/allowedPages.ts';
import { Endpoint } from './http/endpoint.ts';
import { serverFactory } from './protocol/server.ts';

export { defaultMcpSettings, type Settings as McpSettings } from './declare/settings.ts';
export { toolsets } from './declare/toolsets.ts';
export { AllowedPages } from './http/allowedPages.ts';
export { Endpoint, type EndpointOptions } from './http/endpoint.ts';
export { mcpMetrics } from './protocol/metrics.ts';
export { callTally, outcomes } from './protocol/tally.ts';

export interface McpOptions {
  engine: EngineContext;
  bodies: BodyRoom;
  settings: Settings;
  /** The address that the server listens on, and the one under which clients reach it. */
  host: string;
  publicUrl: string | undefined;
}

/** The tools for agents at `/mcp` (5.7). */
export const createMcp = ({ engine, bodies, settings, host, publicUrl }: McpOptions): Endpoint =>
  new Endpoint({
    engine,
    bodies,
    pages: new AllowedPages({ host, publicUrl, ...settings }),
    factory: serverFactory(settings),
  });
