/** What is expected to fail: scenarios, or checks of scenarios, by reason. */
export type Baseline = Readonly<Record<string, readonly string[]>>;

type Baselines = Readonly<Record<'2026-07-28' | '2025-11-25', Baseline>>;

/** What no server passes that keeps nothing between two requests. */
const withoutSession: Baseline = {
  'the level of logs is kept per session, and logging is not offered': ['logging-set-level', 'tools-call-with-logging'],
  "the server asks in one request, and the client's answer comes in another": [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  'subscriptions are kept per session': ['resources-subscribe', 'resources-unsubscribe'],
  'the scenario stops at a server without a session': ['server-sse-multiple-streams'],
};

export const wiringBaseline: Baselines = { '2026-07-28': {}, '2025-11-25': withoutSession };

/** Scenarios that call tools, resources and prompts of the suite's own server. */
const needsFixtures: readonly string[] = [
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
];

export const productBaseline: Baselines = {
  '2026-07-28': {
    'they call what the suite serves': [
      ...needsFixtures,
      ...[
        'basic-elicitation',
        'basic-sampling',
        'basic-list-roots',
        'request-state',
        'multiple-input-requests',
        'multi-round',
        'missing-input-response',
        'non-tool-request',
        'result-type',
        'tampered-state',
        'capability-check',
        'ignore-extra-params',
      ].map((name) => `input-required-result-${name}`),
    ],
    'they call tools that the suite serves': [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ].map((check) => `server-stateless:${check}`),
  },
  '2025-11-25': { ...withoutSession, 'they call what the suite serves': needsFixtures },
};
