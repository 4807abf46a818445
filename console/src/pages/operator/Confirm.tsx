import { type ReactNode, useState } from 'react';
import type { Act } from '../../data/queries.ts';
import { explain } from '../../data/requestError.ts';
import { Button, Dialog, Field, TroubleNote } from '../../design/index.ts';

interface ConfirmProps<Variables> {
  title: string;
  /** What happens, and what cannot be undone. */
  description: string;
  verb: string;
  act: Act<Variables>;
  variables: Variables;
  /** The person types this text first. */
  typed?: string;
  onClose: () => void;
}

/** Asks before a deed that others notice. The error of the deed stays in the dialog. */
export function Confirm<Variables>({
  title,
  description,
  verb,
  act,
  variables,
  typed,
  onClose,
}: ConfirmProps<Variables>): ReactNode {
  const [text, setText] = useState('');
  const refusal = typed !== undefined && text.trim() !== typed ? `type “${typed}” first` : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button kind="danger" refusal={refusal} isBusy={act.isBusy} onClick={() => act.act(variables)}>
            {verb}
          </Button>
        </>
      }
    >
      {act.error && <TroubleNote trouble={explain(act.error)} isNarrow />}
      {typed !== undefined && (
        <Field
          label={`Type ${typed} to confirm`}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </Dialog>
  );
}
