import { KeyRound } from 'lucide-react';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { asRequestError } from '../data/requestError.ts';
import { Button, Check, Dialog, Empty, Field } from '../design/index.ts';
import { choosesProject, kindOfKey, namesPerson } from './permissions.ts';
import styles from './SignIn.module.css';
import { signIn, useSession } from './session.ts';

/** The sign-in page, for a tab that has shown nothing yet. */
export function SignInPage(): ReactNode {
  const { reason } = useSession();
  const form = useSignIn();
  return (
    <main className={styles['page']}>
      <div className={styles['card']}>
        <p className={styles['mark']} aria-hidden>
          H
        </p>
        <h1>Holdfast</h1>
        <p className={styles['lead']}>Paste an API key of your project to see its runs.</p>
        {reason && <p className={styles['reason']}>{reason}</p>}
        <SignInForm form={form} isLone />
        <p className={styles['note']}>
          No key at hand? <code>npx holdfast console</code> opens this page signed in. The key stays in this tab, and
          goes to no other host.
        </p>
      </div>
    </main>
  );
}

/** The page of a tab with a kept key, while the service does not answer. */
export function RestoringPage(): ReactNode {
  const { reason } = useSession();
  if (!reason) return null;
  return (
    <main className={styles['page']} aria-live="polite">
      <Empty title={reason}>
        <p>The console keeps your key, and tries again by itself.</p>
      </Empty>
    </main>
  );
}

/** The dialog over a page whose session ended. The page and its input stay below. */
export function SignInDialog(): ReactNode {
  const { phase, reason } = useSession();
  const form = useSignIn();
  return (
    <Dialog
      isOpen={phase === 'signedOut'}
      title="Sign in again"
      description={reason ?? 'You have signed out. The page below keeps what you have written.'}
      footer={
        <Button kind="primary" type="submit" form={form.id} isBusy={form.isBusy}>
          Sign in
        </Button>
      }
    >
      <SignInForm form={form} />
    </Dialog>
  );
}

interface FormState {
  id: string;
  key: string;
  setKey: (key: string) => void;
  project: string;
  setProject: (project: string) => void;
  actor: string;
  setActor: (actor: string) => void;
  isKept: boolean;
  setKept: (isKept: boolean) => void;
  error: { field: 'key' | 'project' | 'actor'; text: string } | undefined;
  isBusy: boolean;
  submit: (event: FormEvent) => void;
}

function useSignIn(): FormState {
  const id = useId();
  const { viewer } = useSession();
  const [key, setKey] = useState('');
  const [project, setProject] = useState(viewer?.project?.name ?? '');
  const [actor, setActor] = useState(viewer?.actor ?? '');
  const [isKept, setKept] = useState(false);
  const [error, setError] = useState<FormState['error']>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    const kind = kindOfKey(key);
    const named = {
      ...(kind && choosesProject(kind) && project.trim() && { project: project.trim() }),
      ...(kind && namesPerson(kind) && actor.trim() && { actor: actor.trim() }),
    };
    setBusy(true);
    setError(undefined);
    signIn({ key: key.trim(), ...named }, { isKept })
      .then(() => setKey(''))
      .catch((reason: unknown) => setError(refusalIn(reason)))
      .finally(() => setBusy(false));
  };
  return { id, key, setKey, project, setProject, actor, setActor, isKept, setKept, error, isBusy, submit };
}

/** The service's refusal, at the field that it concerns. */
function refusalIn(reason: unknown): NonNullable<FormState['error']> {
  const { code, message } = asRequestError(reason);
  if (code === 'UNAUTHENTICATED')
    return { field: 'key', text: 'The service does not know this key. It may be revoked or expired.' };
  if (code === 'NETWORK') return { field: 'key', text: 'The service does not answer.' };
  if (/x-service-actor|actor/i.test(message)) return { field: 'actor', text: message };
  if (/project/i.test(message)) return { field: 'project', text: message };
  return { field: 'key', text: message };
}

function SignInForm({ form, isLone = false }: { form: FormState; isLone?: boolean }): ReactNode {
  const kind = kindOfKey(form.key);
  const errorAt = (field: string): string | undefined => (form.error?.field === field ? form.error.text : undefined);
  return (
    <form id={form.id} className={styles['form']} onSubmit={form.submit}>
      <Field
        label="API key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        required
        value={form.key}
        placeholder="hf_…"
        error={errorAt('key')}
        onChange={(event) => form.setKey(event.target.value)}
      />
      {kind && choosesProject(kind) && (
        <Field
          label="Project"
          hint={kind === 'OPERATOR' ? 'Empty: only projects and keys are shown.' : 'Its id or its name.'}
          required={kind === 'PLATFORM'}
          value={form.project}
          error={errorAt('project')}
          onChange={(event) => form.setProject(event.target.value)}
        />
      )}
      {kind && namesPerson(kind) && (
        <Field
          label="Your name"
          hint="Recorded with what you decide."
          required
          value={form.actor}
          error={errorAt('actor')}
          onChange={(event) => form.setActor(event.target.value)}
        />
      )}
      <Check
        label="Keep for my tabs, until I close them"
        checked={form.isKept}
        onChange={(event) => form.setKept(event.target.checked)}
      />
      {isLone && (
        <Button kind="primary" type="submit" icon={KeyRound} isBusy={form.isBusy}>
          Sign in
        </Button>
      )}
    </form>
  );
}
