import { describe, expect, test } from 'vitest';
import { defaultEngineSettings } from '../src/engine/settings.ts';
import { loadSettings } from '../src/settings.ts';

const message = (env: Record<string, string>): string => {
  try {
    loadSettings(env);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('the settings were accepted');
};

describe('the settings', () => {
  test('have the defaults of the contract when nothing is set', () => {
    const settings = loadSettings({});
    expect(settings).toMatchObject({
      isProduction: false,
      host: '127.0.0.1',
      port: 4400,
      publicUrl: undefined,
      corsOrigins: [],
      allowedOrigins: [],
      databaseUrl: undefined,
      dataDir: `${process.cwd()}/.holdfast`,
      logLevel: 'info',
      logFormat: undefined,
      runnerProbeMs: 30_000,
      streamCommentMs: 15_000,
      engine: {
        webhookTimeoutMs: 10_000,
        webhookBackoffMs: [5_000, 300_000, 3_600_000, 21_600_000],
        webhookDisableAfterMs: 432_000_000,
      },
      limits: {
        subscriptionsPerSocket: 100,
        requestsPerConnection: 16,
        document: { tokens: 5_000, depth: 14, aliases: 30, nodes: 10_000 },
      },
    });
    expect([...settings.roles]).toEqual(['api', 'dispatcher', 'scheduler', 'webhooks', 'inference']);
    expect(settings.engine).toEqual({ ...defaultEngineSettings, allowPrivateTargets: true });
  });

  test('read every time limit and ceiling', () => {
    const { engine, ...settings } = loadSettings({
      NO_RUNNER_WAIT_MS: '1',
      RUNNER_HEARTBEAT_MS: '2',
      RUNNER_LIVENESS_MS: '3',
      INVOKE_TIMEOUT_MS: '4',
      TRANSPORT_BACKOFF_MS: '5',
      WEBHOOK_TIMEOUT_MS: '6',
      WEBHOOK_BACKOFF_MS: '7, 8,0',
      BUDGET_CHECK_MS: '9',
      DEDUPE_WINDOW_MS: '10',
      SIGNATURE_TOLERANCE_MS: '11',
      STREAM_COMMENT_MS: '12',
      MEMO_MAX_BYTES: '13',
      MAX_JSON_DEPTH: '14',
      BATCH_MAX_EVENTS: '15',
      BATCH_MAX_BYTES: '16',
      OPERATOR_KEY_FORMER: 'the-former-operator-key, and-the-one-before-it',
    });
    expect(engine).toMatchObject({
      noRunnerWaitMs: 1,
      runnerHeartbeatMs: 2,
      runnerLivenessMs: 3,
      invokeTimeoutMs: 4,
      transportBackoffMs: 5,
      dedupeWindowMs: 10,
      budgetCheckMs: 9,
      signatureToleranceMs: 11,
      webhookTimeoutMs: 6,
      webhookBackoffMs: [7, 8, 0],
      formerOperatorKeys: ['the-former-operator-key', 'and-the-one-before-it'],
      limits: {
        ...defaultEngineSettings.limits,
        memoMaxBytes: 13,
        jsonDepth: 14,
        batchMaxEvents: 15,
        batchMaxBytes: 16,
      },
    });
    expect(settings).toMatchObject({
      runnerProbeMs: 2,
      streamCommentMs: 12,
    });
  });

  test('allow private targets by default on the embedded database only', () => {
    const databaseUrl = 'postgresql://user:secret@db.example.com/holdfast';
    expect(loadSettings({ DATABASE_URL: databaseUrl }).engine.allowPrivateTargets).toBe(false);
    expect(loadSettings({ DATABASE_URL: databaseUrl, ALLOW_PRIVATE_TARGETS: 'true' }).engine.allowPrivateTargets).toBe(
      true,
    );
    expect(loadSettings({ ALLOW_PRIVATE_TARGETS: 'false' }).engine.allowPrivateTargets).toBe(false);
  });

  test('take a comma list of roles', () => {
    expect([...loadSettings({ ROLES: 'api, scheduler' }).roles]).toEqual(['api', 'scheduler']);
    expect(message({ ROLES: 'api,sheduler' })).toContain('ROLES: must be a comma list of api, dispatcher, scheduler');
    expect(message({ ROLES: ',' })).toContain('ROLES: must be a comma list of api, dispatcher, scheduler');
  });

  test('take the format of the log', () => {
    expect(loadSettings({ LOG_FORMAT: 'pretty' }).logFormat).toBe('pretty');
    expect(message({ LOG_FORMAT: 'xml' })).toContain('LOG_FORMAT: must be one of json, pretty');
  });

  test('count a variable that is empty as absent', () => {
    expect(loadSettings({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 4400, databaseUrl: undefined });
  });

  test('end a public URL without a slash', () => {
    expect(loadSettings({ PUBLIC_URL: 'https://flows.example.com/hf/' }).publicUrl).toBe(
      'https://flows.example.com/hf',
    );
  });

  test('name every error at once', () => {
    const text = message({
      PORT: '70000',
      PUBLIC_URL: 'ftp://x',
      DATABASE_URL: 'mysql://x',
      OPERATOR_KEY: 'short',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      ALLOW_PRIVATE_TARGETS: 'yes',
      INVOKE_TIMEOUT_MS: '1.5',
      WEBHOOK_BACKOFF_MS: '5,x',
      MAX_JSON_DEPTH: '0',
    });
    expect(
      text
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(':')[0]),
    ).toEqual([
      'PORT',
      'PUBLIC_URL',
      'DATABASE_URL',
      'OPERATOR_KEY',
      'LOG_LEVEL',
      'LOG_FORMAT',
      'ALLOW_PRIVATE_TARGETS',
      'INVOKE_TIMEOUT_MS',
      'WEBHOOK_BACKOFF_MS',
      'MAX_JSON_DEPTH',
    ]);
    expect(text).not.toContain('short');
  });

  test('demand a database and an operator key in production', () => {
    expect(message({ NODE_ENV: 'production' })).toBe(
      'invalid environment:\n' +
        '  DATABASE_URL: must be set when NODE_ENV is production\n' +
        '  OPERATOR_KEY: must be set when NODE_ENV is production',
    );
    const complete = {
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://db.example.com/holdfast',
      OPERATOR_KEY: 'sixteen-characters-or-more',
    };
    expect(loadSettings(complete)).toMatchObject({ isProduction: true, engine: { allowPrivateTargets: false } });
  });

  test('tell what production lacks along with what else is wrong', () => {
    const text = message({ NODE_ENV: 'production', PORT: 'x', OPERATOR_KEY: 'sixteen-characters-or-more' });
    expect(text).toContain('PORT: must be a whole number from 0 to 65535');
    expect(text).toContain('DATABASE_URL: must be set');
  });
});
