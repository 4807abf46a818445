-- What the migrations make of an empty database. Written by `npm run migrate:snapshot`; never by hand.

table agent_call (
  call_id text not null
  claim uuid not null
  digest bytea not null
  done json
  expires_at timestamp(3) with time zone not null
  key text not null
  project_id uuid not null
  constraint agent_call_pkey PRIMARY KEY (project_id, key, call_id)
)
CREATE INDEX agent_call_expires_at_idx ON public.agent_call USING btree (expires_at)

table agent_start (
  key text not null
  run_id uuid not null
  constraint agent_start_pkey PRIMARY KEY (run_id, key)
)

table ai_usage (
  app text not null
  attempt integer not null
  cache_hit boolean
  cost double precision
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  latency_ms double precision
  model text
  project_id uuid not null
  run_id uuid not null
  send integer not null default 0
  step_index integer not null
  tokens_in bigint
  tokens_out bigint
  unknown boolean not null default false
  workflow text not null
  constraint ai_usage_pkey PRIMARY KEY (run_id, step_index, attempt, send)
)
CREATE INDEX ai_usage_project_id_app_workflow_created_at_idx ON public.ai_usage USING btree (project_id, app, workflow, created_at)
CREATE INDEX ai_usage_project_id_created_at_idx ON public.ai_usage USING btree (project_id, created_at)

table api_key (
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  expires_at timestamp(3) with time zone
  hint text not null
  id uuid not null
  kind text not null
  last_used_at timestamp(3) with time zone
  name text not null
  project_id uuid
  revoked_at timestamp(3) with time zone
  token_hash bytea not null
  constraint api_key_kind_known CHECK ((kind = ANY (ARRAY['secret'::text, 'public'::text, 'platform'::text])))
  constraint api_key_pkey PRIMARY KEY (id)
  constraint api_key_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON UPDATE CASCADE ON DELETE CASCADE
  constraint api_key_project_unless_platform CHECK (((kind = 'platform'::text) OR (project_id IS NOT NULL)))
)
CREATE INDEX api_key_project_id_idx ON public.api_key USING btree (project_id)
CREATE UNIQUE INDEX api_key_token_hash_key ON public.api_key USING btree (token_hash)

table app (
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  name text not null
  project_id uuid not null
  constraint app_pkey PRIMARY KEY (project_id, name)
)

table approval (
  args json not null
  context text
  decided_at timestamp(3) with time zone
  decided_by text
  decided_via text
  decision_reason text
  edited_args json
  escalates_to text not null
  expires_at timestamp(3) with time zone
  id uuid not null
  on_timeout text not null
  policy text
  project_id uuid not null
  requested_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  risk text not null
  run_id uuid not null
  status text not null
  step text not null
  step_index integer not null
  summary text
  tool text not null
  constraint approval_decided_at_when_decided CHECK (((decided_at IS NOT NULL) = (status = ANY (ARRAY['approved'::text, 'denied'::text]))))
  constraint approval_decided_via_when_decided CHECK (((decided_via IS NOT NULL) = (status = ANY (ARRAY['approved'::text, 'denied'::text]))))
  constraint approval_on_timeout_known CHECK ((on_timeout = ANY (ARRAY['escalate'::text, 'approve'::text, 'reject'::text, 'fail'::text])))
  constraint approval_pkey PRIMARY KEY (id)
  constraint approval_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'escalated'::text, 'approved'::text, 'denied'::text, 'cancelled'::text])))
)
CREATE INDEX approval_due_idx ON public.approval USING btree (expires_at) WHERE ((status = 'pending'::text) AND (expires_at IS NOT NULL))
CREATE INDEX approval_open_deadline_idx ON public.approval USING btree (project_id, COALESCE(expires_at, 'infinity'::timestamp with time zone), id) WHERE (status = ANY (ARRAY['pending'::text, 'escalated'::text]))
CREATE INDEX approval_open_idx ON public.approval USING btree (project_id, id DESC) WHERE (status = ANY (ARRAY['pending'::text, 'escalated'::text]))
CREATE INDEX approval_project_id_id_idx ON public.approval USING btree (project_id, id DESC)
CREATE UNIQUE INDEX approval_run_id_step_index_key ON public.approval USING btree (run_id, step_index)

table control_action (
  action text not null
  actor text
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  detail json
  id uuid not null
  new_run_id uuid
  project_id uuid not null
  run_id uuid
  run_ids uuid[] default ARRAY[]::uuid[]
  constraint control_action_pkey PRIMARY KEY (id)
)
CREATE INDEX control_action_new_run_id_idx ON public.control_action USING btree (new_run_id) WHERE (new_run_id IS NOT NULL)
CREATE INDEX control_action_project_id_id_idx ON public.control_action USING btree (project_id, id DESC)
CREATE INDEX control_action_run_id_idx ON public.control_action USING btree (run_id) WHERE (run_id IS NOT NULL)

table cron_schedule (
  cron text not null
  id uuid not null
  last_fired_at timestamp(3) with time zone
  last_refused_at timestamp(3) with time zone
  next_fire_at timestamp(3) with time zone not null
  workflow_id uuid not null
  constraint cron_schedule_pkey PRIMARY KEY (id)
  constraint cron_schedule_workflow_id_fkey FOREIGN KEY (workflow_id) REFERENCES workflow(id) ON UPDATE CASCADE ON DELETE CASCADE
)
CREATE INDEX cron_schedule_next_fire_at_idx ON public.cron_schedule USING btree (next_fire_at)
CREATE UNIQUE INDEX cron_schedule_workflow_id_cron_key ON public.cron_schedule USING btree (workflow_id, cron)

table dedupe_key (
  expires_at timestamp(3) with time zone not null
  key text not null
  project_id uuid not null
  ref_id uuid
  scope text not null
  constraint dedupe_key_pkey PRIMARY KEY (project_id, scope, key)
)
CREATE INDEX dedupe_key_expires_at_idx ON public.dedupe_key USING btree (expires_at)

table dispatcher (
  found_dead_at timestamp(3) with time zone
  heartbeat_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  id uuid not null
  started_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  constraint dispatcher_pkey PRIMARY KEY (id)
) with (fillfactor=50)

table event (
  app text not null
  data json
  dedupe_id text
  envelope json
  id uuid not null
  name text not null
  project_id uuid not null
  received_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  runner text
  session text
  snapshot text default (pg_current_snapshot())::text
  source text not null
  source_run_id uuid
  suspended boolean not null default false
  tags jsonb
  target_app text
  triggered json not null
  woke integer not null default 0
  woke_runs uuid[]
  xid bigint default ((pg_current_xact_id())::text)::bigint
  constraint event_pkey PRIMARY KEY (id)
)
CREATE INDEX event_dedupe_id_idx ON public.event USING btree (project_id, dedupe_id) WHERE (dedupe_id IS NOT NULL)
CREATE INDEX event_project_id_id_idx ON public.event USING btree (project_id, id DESC)
CREATE INDEX event_project_id_name_id_idx ON public.event USING btree (project_id, name, id DESC)

table event_head (
  project_id uuid not null
  seq bigint not null
  constraint event_head_pkey PRIMARY KEY (project_id)
) with (fillfactor=50)

table event_pending (
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  event_id uuid not null
  project_id uuid not null
  constraint event_pending_pkey PRIMARY KEY (event_id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000)

table event_seq (
  event_id uuid not null
  project_id uuid not null
  seq bigint not null
  constraint event_seq_pkey PRIMARY KEY (project_id, seq)
)
CREATE UNIQUE INDEX event_seq_event_id_key ON public.event_seq USING btree (event_id)

table flow_budget (
  app text not null
  exceeded_at timestamp(3) with time zone
  project_id uuid not null
  warned_at timestamp(3) with time zone
  workflow text not null
  constraint flow_budget_pkey PRIMARY KEY (project_id, app, workflow)
)

table flow_buffer (
  app text not null
  bytes bigint not null default 0
  closed boolean not null default false
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  flush_at timestamp(3) with time zone not null
  id uuid not null
  items integer not null default 0
  key text not null
  policy text not null
  project_id uuid not null
  runner text not null default ''::text
  workflow text not null
  constraint flow_buffer_pkey PRIMARY KEY (id)
  constraint flow_buffer_policy_known CHECK ((policy = ANY (ARRAY['debounce'::text, 'batch'::text])))
)
CREATE UNIQUE INDEX flow_buffer_open_idx ON public.flow_buffer USING btree (project_id, policy, app, workflow, key, runner) WHERE (NOT closed)
CREATE INDEX flow_buffer_policy_flush_at_idx ON public.flow_buffer USING btree (policy, flush_at)

table flow_buffer_item (
  buffer_id uuid not null
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  event_id uuid
  input json not null
  position integer not null
  start json not null
  constraint flow_buffer_item_pkey PRIMARY KEY (buffer_id, "position")
)

table flow_rate (
  app text not null
  arrival_us numeric not null
  granted integer not null default 0
  key text not null
  policy text not null
  project_id uuid not null
  workflow text not null
  constraint flow_rate_pkey PRIMARY KEY (project_id, policy, app, workflow, key)
)
CREATE INDEX flow_rate_arrival_us_idx ON public.flow_rate USING btree (arrival_us)

table inference_cache (
  answer json not null
  bytes integer not null
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  key bytea not null
  project_id uuid not null
  used_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  constraint inference_cache_pkey PRIMARY KEY (project_id, key)
)
CREATE INDEX inference_cache_created_at_idx ON public.inference_cache USING btree (created_at)
CREATE INDEX inference_cache_project_id_used_at_idx ON public.inference_cache USING btree (project_id, used_at)

table inference_call (
  attempt integer not null
  claim_no integer not null default 0
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  deadline_at timestamp(3) with time zone not null
  due_at timestamp(3) with time zone not null
  failures integer not null default 0
  idempotency_key uuid not null
  is_capped boolean not null default false
  key_id uuid not null
  lane_id uuid not null
  lease_id uuid
  looks_up boolean not null default false
  max_tokens integer
  model text not null
  paused_at timestamp(3) with time zone
  project_id uuid not null
  provider text not null
  reasked integer not null default 0
  request bytea not null
  request_bytes integer not null
  run_id uuid not null
  sends integer not null default 0
  step_index integer not null
  constraint inference_call_pkey PRIMARY KEY (run_id, step_index)
) with (toast_tuple_target=256, fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=1)
CREATE INDEX inference_call_deadline_idx ON public.inference_call USING btree (deadline_at) WHERE (paused_at IS NULL)
CREATE INDEX inference_call_due_idx ON public.inference_call USING btree (due_at) WHERE ((lease_id IS NULL) AND (paused_at IS NULL) AND (NOT looks_up))
CREATE INDEX inference_call_lane_idx ON public.inference_call USING btree (key_id, lane_id, project_id, due_at, run_id, step_index) WHERE ((lease_id IS NULL) AND (paused_at IS NULL) AND (NOT looks_up))
CREATE INDEX inference_call_leased_idx ON public.inference_call USING btree (key_id, lane_id, project_id) WHERE (lease_id IS NOT NULL)
CREATE INDEX inference_call_look_project_idx ON public.inference_call USING btree (project_id, due_at, run_id, step_index) WHERE ((lease_id IS NULL) AND (paused_at IS NULL) AND looks_up)
CREATE INDEX inference_call_look_up_idx ON public.inference_call USING btree (due_at) WHERE ((lease_id IS NULL) AND (paused_at IS NULL) AND looks_up)
CREATE INDEX inference_call_project_id_provider_lane_id_idx ON public.inference_call USING btree (project_id, provider, lane_id)

table inference_key (
  id uuid not null
  last_refusal text
  last_refused_at timestamp(3) with time zone
  last_used_at timestamp(3) with time zone
  project_id uuid
  provider text not null
  constraint inference_key_pkey PRIMARY KEY (id)
) with (fillfactor=50)

table inference_lane (
  held_for text
  held_since timestamp(3) with time zone
  held_until timestamp(3) with time zone
  holds integer not null default 0
  id uuid not null
  key_id uuid not null
  model text not null
  opening_since timestamp(3) with time zone
  project_id uuid
  provider text not null
  succeeded_at timestamp(3) with time zone
  updated_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  width integer
  constraint inference_lane_pkey PRIMARY KEY (id)
) with (fillfactor=50)
CREATE INDEX inference_lane_key_id_idx ON public.inference_lane USING btree (key_id)

table inference_process (
  heartbeat_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  id uuid not null
  constraint inference_process_pkey PRIMARY KEY (id)
) with (fillfactor=50)

table inference_send (
  attempt integer not null
  ended_at timestamp(3) with time zone
  error text
  idempotency_key uuid not null
  key_id uuid not null
  model text not null
  number integer not null
  outcome text
  process_id uuid not null
  project_id uuid not null
  provider text not null
  request_id text
  reserved_cost double precision
  reserved_tokens bigint not null
  run_id uuid not null
  started_at timestamp(3) with time zone not null
  status integer
  step_index integer not null
  tokens_in bigint
  tokens_out bigint
  constraint inference_send_pkey PRIMARY KEY (run_id, step_index, attempt, number)
) with (fillfactor=80)
CREATE INDEX inference_send_open_idx ON public.inference_send USING btree (process_id) WHERE (outcome IS NULL)

table lane (
  app text not null
  id integer not null default nextval('lane_id_seq'::regclass)
  project_id uuid not null
  runner text not null default ''::text
  workflow text not null
  constraint lane_pkey PRIMARY KEY (id)
)
CREATE UNIQUE INDEX lane_project_id_app_workflow_runner_key ON public.lane USING btree (project_id, app, workflow, runner)

table project (
  concurrency_ceiling integer not null default 0
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  id uuid not null
  name text not null
  registry_version bigint not null default 1
  suspended_at timestamp(3) with time zone
  constraint project_pkey PRIMARY KEY (id)
)
CREATE UNIQUE INDEX project_name_key ON public.project USING btree (name)

table run (
  app text not null
  attempt integer not null default 1
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  dedupe_id text
  depth integer not null default 0
  ended_at timestamp(3) with time zone
  envelope json
  error json
  event_at timestamp(3) with time zone
  event_id uuid
  event_name text
  events json
  expires_at timestamp(3) with time zone
  id uuid not null
  input json not null
  on_failure_of uuid
  parent_attempt integer
  parent_run_id uuid
  parent_step text
  paused_actor text
  paused_reason text
  project_id uuid not null
  replay_of uuid
  result json
  runner text
  session text
  start_at timestamp(3) with time zone
  started_at timestamp(3) with time zone
  status text not null
  tags jsonb
  trigger_kind text not null
  version text not null
  workflow text not null
  constraint run_ended_when_terminal CHECK (((ended_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text]))))
  constraint run_pkey PRIMARY KEY (id)
  constraint run_status_known CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'paused'::text, 'needs_attention'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
  constraint run_trigger_kind_known CHECK ((trigger_kind = ANY (ARRAY['event'::text, 'cron'::text, 'manual'::text])))
) with (fillfactor=80)
CREATE INDEX run_budget_paused_idx ON public.run USING btree (project_id, app, workflow, id) WHERE (paused_reason = 'budget'::text)
CREATE INDEX run_cron_idx ON public.run USING btree (project_id, app, workflow, created_at) WHERE ((trigger_kind = 'cron'::text) AND (replay_of IS NULL))
CREATE INDEX run_dedupe_id_idx ON public.run USING btree (project_id, dedupe_id) WHERE (dedupe_id IS NOT NULL)
CREATE INDEX run_duration_idx ON public.run USING btree (project_id, ((ended_at - COALESCE(started_at, created_at))), id) WHERE (ended_at IS NOT NULL)
CREATE INDEX run_event_id_idx ON public.run USING btree (event_id) WHERE (event_id IS NOT NULL)
CREATE INDEX run_failed_idx ON public.run USING btree (project_id, app, workflow, ended_at) WHERE (status = 'failed'::text)
CREATE INDEX run_on_failure_of_idx ON public.run USING btree (on_failure_of) WHERE (on_failure_of IS NOT NULL)
CREATE INDEX run_parent_run_id_idx ON public.run USING btree (parent_run_id) WHERE (parent_run_id IS NOT NULL)
CREATE INDEX run_project_id_created_at_id_idx ON public.run USING btree (project_id, created_at DESC, id DESC)
CREATE INDEX run_project_id_status_created_at_id_idx ON public.run USING btree (project_id, status, created_at DESC, id DESC)
CREATE INDEX run_project_id_workflow_created_at_id_idx ON public.run USING btree (project_id, workflow, created_at DESC, id DESC)
CREATE INDEX run_replay_of_idx ON public.run USING btree (replay_of) WHERE (replay_of IS NOT NULL)
CREATE INDEX run_session_idx ON public.run USING btree (project_id, session, created_at DESC) WHERE (session IS NOT NULL)
CREATE INDEX run_tags_idx ON public.run USING gin (tags jsonb_path_ops) WHERE (tags IS NOT NULL)

table run_frame (
  kind text not null
  log_attempt integer
  log_index integer
  log_scope text
  payload json not null
  run_id uuid not null
  seq bigint not null
  ts timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  constraint run_frame_pkey PRIMARY KEY (run_id, seq)
)
CREATE UNIQUE INDEX run_frame_log_idx ON public.run_frame USING btree (run_id, log_scope, log_attempt, log_index) WHERE (kind = 'log'::text)

table run_outcome (
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  held_for uuid
  lacked_runner boolean not null default false
  run_id uuid not null
  constraint run_outcome_pkey PRIMARY KEY (run_id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000)

table run_step (
  ai json
  attempt integer not null
  child_run_id uuid
  ended_at timestamp(6) with time zone
  error json
  event_name text
  index integer not null
  input json
  name text not null
  op text not null
  output json
  retry_withdrawn boolean not null default false
  run_after timestamp(3) with time zone
  run_id uuid not null
  started_at timestamp(6) with time zone not null
  status text not null
  step_id text not null
  usage json
  will_retry boolean not null default false
  constraint run_step_ended_when_settled CHECK (((ended_at IS NULL) = (status = ANY (ARRAY['running'::text, 'waiting'::text]))))
  constraint run_step_pkey PRIMARY KEY (run_id, index, attempt)
  constraint run_step_retry_only_when_failed CHECK (((NOT will_retry) OR ((status = 'failed'::text) AND (run_after IS NOT NULL))))
  constraint run_step_status_known CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text, 'cancelled'::text])))
)

table run_wait (
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  event_if text
  event_name text not null
  looks_back boolean not null default false
  match_path text not null default ''::text
  match_value text not null default ''::text
  project_id uuid not null
  run_id uuid not null
  since timestamp(3) with time zone
  step_index integer not null
  term integer not null default 0
  constraint run_wait_pkey PRIMARY KEY (run_id, step_index, term)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000)
CREATE INDEX run_wait_look_back_idx ON public.run_wait USING btree (created_at) WHERE looks_back
CREATE INDEX run_wait_project_id_event_name_match_path_match_value_idx ON public.run_wait USING btree (project_id, event_name, match_path, match_value)

table run_work (
  cancellable boolean not null default false
  claim_no integer not null default 0
  due_at timestamp(3) with time zone
  ends_at timestamp(3) with time zone
  expires_at timestamp(3) with time zone
  gate text
  lane_id integer not null
  lease_id uuid
  not_before timestamp(3) with time zone
  owed_turn text
  pausing boolean not null default false
  position bigint not null
  project_id uuid not null
  repeats integer not null default 0
  resume_state text
  retry_at timestamp(3) with time zone
  run_id uuid not null
  seq bigint not null default 0
  shift_ms bigint
  singleton bigint
  slot bigint
  slot_key text
  started jsonb
  state text not null
  stranded_at timestamp(3) with time zone
  token_key text
  transport_failures integer not null default 0
  unanswered integer not null default 0
  waiting_claim_no integer
  waiting_for json
  wakes integer not null default 0
  constraint run_work_gate_when_gated CHECK ((((gate IS NOT NULL) = (state = 'gated'::text)) AND ((gate IS NULL) OR (gate = ANY (ARRAY['slot'::text, 'ceiling'::text])))))
  constraint run_work_lease_when_leased CHECK (((lease_id IS NOT NULL) = (state = 'leased'::text)))
  constraint run_work_pkey PRIMARY KEY (run_id)
  constraint run_work_resume_when_paused CHECK ((((resume_state IS NOT NULL) = (state = 'paused'::text)) AND ((resume_state IS NULL) OR (resume_state = ANY (ARRAY['ready'::text, 'parked'::text])))))
  constraint run_work_state_known CHECK ((state = ANY (ARRAY['ready'::text, 'leased'::text, 'parked'::text, 'stranded'::text, 'paused'::text, 'gated'::text])))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=1)
CREATE INDEX run_work_any_paused_idx ON public.run_work USING btree (run_id) WHERE (state = 'paused'::text)
CREATE INDEX run_work_cancellable_idx ON public.run_work USING btree (lane_id, run_id) WHERE cancellable
CREATE INDEX run_work_ceiling_idx ON public.run_work USING btree (project_id, "position", run_id) WHERE (gate = 'ceiling'::text)
CREATE INDEX run_work_due_idx ON public.run_work USING btree (due_at) WHERE ((state = ANY (ARRAY['parked'::text, 'stranded'::text])) AND (due_at IS NOT NULL))
CREATE INDEX run_work_ends_idx ON public.run_work USING btree (ends_at) WHERE (ends_at IS NOT NULL)
CREATE INDEX run_work_expires_idx ON public.run_work USING btree (expires_at) WHERE (expires_at IS NOT NULL)
CREATE INDEX run_work_gated_idx ON public.run_work USING btree (gate, slot, "position", run_id) WHERE (state = 'gated'::text)
CREATE INDEX run_work_gated_lane_idx ON public.run_work USING btree (lane_id, slot) WHERE ((state = 'gated'::text) AND (gate = 'slot'::text))
CREATE INDEX run_work_idle_idx ON public.run_work USING btree (lane_id, run_id) WHERE (state = ANY (ARRAY['parked'::text, 'gated'::text]))
CREATE INDEX run_work_lease_idx ON public.run_work USING btree (lease_id) WHERE (lease_id IS NOT NULL)
CREATE INDEX run_work_owed_idx ON public.run_work USING btree (due_at) WHERE (owed_turn IS NOT NULL)
CREATE INDEX run_work_paused_idx ON public.run_work USING btree (lane_id, run_id) WHERE ((state = 'paused'::text) AND (resume_state = 'parked'::text))
CREATE INDEX run_work_ready_idx ON public.run_work USING btree (lane_id, "position", run_id) WHERE (state = 'ready'::text)
CREATE UNIQUE INDEX run_work_singleton_idx ON public.run_work USING btree (project_id, singleton) WHERE (singleton IS NOT NULL)
CREATE INDEX run_work_slot_idx ON public.run_work USING btree (slot, state, "position", run_id) WHERE (slot IS NOT NULL)
CREATE INDEX run_work_stranded_idx ON public.run_work USING btree (lane_id) WHERE (state = 'stranded'::text)

table runner (
  app text not null
  connected boolean not null default true
  connection_id uuid not null
  connection_no bigint
  dispatcher_id uuid
  framework text
  id uuid not null
  in_flight integer
  language text
  last_seen_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  max_in_flight integer not null default 100
  missing_since timestamp(3) with time zone
  project_id uuid not null
  region text
  registered_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  runner_id text not null
  runtime text
  sdk_name text
  transport text not null
  url text not null
  version text
  workflows text[]
  constraint runner_pkey PRIMARY KEY (id)
)
CREATE INDEX runner_connection_id_idx ON public.runner USING btree (connection_id)
CREATE INDEX runner_dispatcher_id_idx ON public.runner USING btree (dispatcher_id)
CREATE UNIQUE INDEX runner_project_id_app_runner_id_key ON public.runner USING btree (project_id, app, runner_id)

table score (
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  data json not null
  id uuid not null
  name text not null
  project_id uuid not null
  run_id uuid not null
  step_index integer not null
  value json not null
  constraint score_pkey PRIMARY KEY (id)
)
CREATE INDEX score_project_id_name_created_at_idx ON public.score USING btree (project_id, name, created_at)
CREATE UNIQUE INDEX score_run_id_step_index_key ON public.score USING btree (run_id, step_index)

table sealed_secret (
  kind text not null
  name text not null
  project_id uuid not null
  sealed bytea not null
  updated_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  constraint sealed_secret_pkey PRIMARY KEY (project_id, kind, name)
)

table stream_ticket (
  expires_at timestamp(3) with time zone not null
  key_id uuid not null
  path text
  project_id uuid not null
  sealed_key bytea
  token_hash bytea not null
  constraint stream_ticket_pkey PRIMARY KEY (token_hash)
)
CREATE INDEX stream_ticket_expires_at_idx ON public.stream_ticket USING btree (expires_at)
CREATE INDEX stream_ticket_key_id_expires_at_idx ON public.stream_ticket USING btree (key_id, expires_at)

table webhook_attempt (
  attempt integer not null
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  delivery_id uuid not null
  duration_ms integer not null
  error text
  id uuid not null
  outcome text not null
  request_headers json not null
  response_headers json
  response_snippet text
  status_code integer
  constraint webhook_attempt_pkey PRIMARY KEY (id)
)
CREATE UNIQUE INDEX webhook_attempt_delivery_id_attempt_key ON public.webhook_attempt USING btree (delivery_id, attempt)

table webhook_delivery (
  app text not null
  attempt_count integer not null default 0
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  endpoint_id uuid
  event_kind text not null
  id uuid not null
  is_test boolean not null default false
  last_status_code integer
  next_attempt_at timestamp(3) with time zone
  payload json
  project_id uuid not null
  run_id uuid
  run_status text
  status text not null
  step_attempt integer
  step_index integer
  updated_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  url text not null
  constraint webhook_delivery_pkey PRIMARY KEY (id)
)
CREATE INDEX webhook_delivery_endpoint_idx ON public.webhook_delivery USING btree (endpoint_id, status, created_at, id) WHERE (endpoint_id IS NOT NULL)
CREATE INDEX webhook_delivery_project_id_app_status_created_at_id_idx ON public.webhook_delivery USING btree (project_id, app, status, created_at, id)
CREATE INDEX webhook_delivery_project_id_created_at_id_idx ON public.webhook_delivery USING btree (project_id, created_at DESC, id DESC)
CREATE INDEX webhook_delivery_project_id_event_kind_status_created_at_id_idx ON public.webhook_delivery USING btree (project_id, event_kind, status, created_at, id)
CREATE INDEX webhook_delivery_run_idx ON public.webhook_delivery USING btree (run_id, created_at, id) WHERE (run_id IS NOT NULL)

table webhook_endpoint (
  app text
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  disabled_at timestamp(3) with time zone
  enabled boolean not null default true
  event_kinds text[]
  id uuid not null
  name text
  project_id uuid not null
  scheme text not null
  updated_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  url text not null
  constraint webhook_endpoint_pkey PRIMARY KEY (id)
)
CREATE INDEX webhook_endpoint_heard_idx ON public.webhook_endpoint USING btree (project_id) WHERE (enabled OR (disabled_at IS NOT NULL))
CREATE UNIQUE INDEX webhook_endpoint_project_id_name_key ON public.webhook_endpoint USING btree (project_id, name)
CREATE UNIQUE INDEX webhook_endpoint_url_idx ON public.webhook_endpoint USING btree (project_id, COALESCE(app, ''::text), url)

table webhook_lane (
  failing_since timestamp(3) with time zone
  failures integer not null default 0
  id uuid not null
  last_attempt_at timestamp(3) with time zone
  project_id uuid not null
  constraint webhook_lane_pkey PRIMARY KEY (id)
) with (fillfactor=50)

table webhook_sender (
  heartbeat_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  id uuid not null
  constraint webhook_sender_pkey PRIMARY KEY (id)
) with (fillfactor=50)

table webhook_source (
  app text
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  dedupe_key text
  enabled boolean not null default true
  event_name text not null
  expose_headers text[] default ARRAY[]::text[]
  handshake text
  id uuid not null
  name text
  project_id uuid not null
  scheme text not null
  target_app text
  token_hash bytea not null
  updated_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  constraint webhook_source_pkey PRIMARY KEY (id)
)
CREATE UNIQUE INDEX webhook_source_project_id_name_key ON public.webhook_source USING btree (project_id, name)
CREATE UNIQUE INDEX webhook_source_token_hash_key ON public.webhook_source USING btree (token_hash)

table webhook_source_attempt (
  actor text
  attempt integer not null
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  delivery_id uuid not null
  event_id uuid
  id uuid not null
  run_id uuid
  status text not null
  trigger text not null
  constraint webhook_source_attempt_pkey PRIMARY KEY (id)
)
CREATE UNIQUE INDEX webhook_source_attempt_delivery_id_attempt_key ON public.webhook_source_attempt USING btree (delivery_id, attempt)

table webhook_source_delivery (
  body bytea
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  event_id uuid
  failure_reason text
  id uuid not null
  project_id uuid not null
  request_headers json not null
  run_id uuid
  source_id uuid not null
  status text not null
  constraint webhook_source_delivery_pkey PRIMARY KEY (id)
)
CREATE INDEX webhook_source_delivery_project_id_status_created_at_id_idx ON public.webhook_source_delivery USING btree (project_id, status, created_at DESC, id DESC)
CREATE INDEX webhook_source_delivery_source_id_status_created_at_id_idx ON public.webhook_source_delivery USING btree (source_id, status, created_at DESC, id DESC)

table webhook_source_hour (
  counted integer not null default 0
  hour timestamp(3) with time zone not null
  recorded integer not null default 0
  source_id uuid not null
  constraint webhook_source_hour_pkey PRIMARY KEY (source_id, hour)
)
CREATE INDEX webhook_source_hour_hour_idx ON public.webhook_source_hour USING btree (hour)

table webhook_work (
  attempts integer not null default 0
  claim_no integer not null default 0
  delivery_id uuid not null
  due_at timestamp(3) with time zone not null
  lane uuid not null
  lease_id uuid
  project_id uuid not null
  constraint webhook_work_pkey PRIMARY KEY (delivery_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=1)
CREATE INDEX webhook_work_due_idx ON public.webhook_work USING btree (due_at) WHERE (lease_id IS NULL)
CREATE INDEX webhook_work_lane_idx ON public.webhook_work USING btree (lane, due_at, delivery_id) WHERE (lease_id IS NULL)
CREATE INDEX webhook_work_leased_idx ON public.webhook_work USING btree (lane) WHERE (lease_id IS NOT NULL)

table workflow (
  app text not null
  backoff text not null
  cancel_on json
  flow_control json
  held_by_hand boolean not null default false
  id uuid not null
  initial_delay_ms bigint not null
  max_attempts integer not null
  max_delay_ms bigint not null
  max_duration_ms bigint
  name text not null
  on_failure boolean not null
  project_id uuid not null
  registered_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  retired_at timestamp(3) with time zone
  retired_by text
  steps json
  triggers json
  unserved_at timestamp(3) with time zone
  updated_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  version text not null
  constraint workflow_pkey PRIMARY KEY (id)
)
CREATE INDEX workflow_budget_idx ON public.workflow USING btree (project_id, app, name) WHERE ((flow_control -> 'budget'::text) IS NOT NULL)
CREATE UNIQUE INDEX workflow_project_id_app_name_key ON public.workflow USING btree (project_id, app, name)

table workflow_version (
  app text not null
  created_at timestamp(3) with time zone not null default CURRENT_TIMESTAMP
  definition json not null
  name text not null
  project_id uuid not null
  version text not null
  constraint workflow_version_pkey PRIMARY KEY (project_id, app, name, version)
)

CREATE OR REPLACE FUNCTION public.number_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  WITH counted AS (
    SELECT project_id, count(*) AS events FROM gone GROUP BY project_id
  ),
  head AS (
    INSERT INTO event_head AS h (project_id, seq)
    SELECT project_id, events FROM counted ORDER BY project_id
    ON CONFLICT (project_id) DO UPDATE SET seq = h.seq + excluded.seq
    RETURNING project_id, seq
  )
  INSERT INTO event_seq (project_id, seq, event_id)
  SELECT project_id, seq - events + row_number() OVER (PARTITION BY project_id ORDER BY event_id), event_id
  FROM gone JOIN counted USING (project_id) JOIN head USING (project_id);
  RETURN NULL;
END
$function$


CREATE TRIGGER number_events AFTER DELETE ON public.event_pending REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION number_events()

sequence lane_id_seq

sequence runner_connection_no_seq
