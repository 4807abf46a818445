import { type FormEvent, type ReactNode, useState } from 'react';
import { formErrors } from '../../data/fieldErrors.ts';
import type { Document } from '../../data/graphql.ts';
import { useAct } from '../../data/queries.ts';
import {
  Button,
  Code,
  Dialog,
  Field,
  SecretDialog,
  Select,
  serviceNow,
  TroubleNote,
  visibleText,
} from '../../design/index.ts';
import { type Expiry, expiries, expiryOf } from './keyStates.ts';
import styles from './operator.module.css';
import { createKeyDocument } from './operatorDocuments.ts';

export type IssuedKind = 'SECRET' | 'PUBLIC' | 'PLATFORM';

const kindWords: Record<IssuedKind, string> = {
  SECRET: 'Secret: reads and writes',
  PUBLIC: 'Public: reads only',
  PLATFORM: 'Platform: acts for persons, in any project',
};

interface IssueKeyProps {
  kinds: readonly [IssuedKind, ...IssuedKind[]];
  projectId: string | undefined;
  refreshes: readonly Document<unknown, never>[];
  onClose: () => void;
}

/** Issues a key, and shows it once. */
export function IssueKey({ kinds, projectId, refreshes, onClose }: IssueKeyProps): ReactNode {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<IssuedKind>(kinds[0]);
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [token, setToken] = useState<string>();
  const issue = useAct(createKeyDocument, {
    refreshes,
    isQuiet: true,
    onDone: ({ createApiKey }) => setToken(createApiKey?.token),
  });
  if (token !== undefined)
    return (
      <SecretDialog
        title={`The key “${visibleText(name.trim())}”`}
        description="Store it where the program or the person that needs it reads it."
        secret={token}
        what="key"
        onStored={() => {
          // The cache of mutations forgets the answer, too.
          issue.reset();
          onClose();
        }}
      >
        <Code text="export HOLDFAST_API_KEY=…" />
      </SecretDialog>
    );
  const errors = formErrors(issue.error, ['name', 'kind', 'expiresAt']);
  const refusal = name.trim() ? undefined : 'a key needs a name';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal) return;
    issue.act({ input: { name: name.trim(), kind, projectId, expiresAt: expiryOf(expiry, serviceNow()) } });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Issue a key"
      description="The audit log records its name as the actor."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="issue-key" refusal={refusal} isBusy={issue.isBusy}>
            Issue
          </Button>
        </>
      }
    >
      <form id="issue-key" className={styles['form']} onSubmit={submit}>
        {errors.trouble && <TroubleNote trouble={errors.trouble} isNarrow />}
        <Field
          label="Name"
          placeholder="ada, console"
          autoComplete="off"
          value={name}
          error={errors.at.name}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label="Kind"
          value={kind}
          error={errors.at.kind}
          options={kinds.map((value) => ({ value, label: kindWords[value] }))}
          onChoose={setKind}
        />
        <Select label="Ends after" value={expiry} error={errors.at.expiresAt} options={expiries} onChoose={setExpiry} />
      </form>
    </Dialog>
  );
}
