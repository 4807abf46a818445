import { Pencil, Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, Button, bytesText, Panel } from '../../design/index.ts';
import { Diff } from '../../payload/Diff.tsx';
import { indentJson } from '../../payload/indentJson.ts';
import { JsonField } from '../../payload/JsonField.tsx';
import { Payload } from '../../payload/Payload.tsx';
import { useRefusal } from '../../session/rights.ts';
import type { Approval } from './ApprovalPage.tsx';
import styles from './Approvals.module.css';
import { approvalArgsDocument } from './approvalDocuments.ts';
import { isOpen } from './approvalWords.ts';
import { readEditedArgs } from './editedArgs.ts';

/** Larger arguments are loaded when somebody asks for them. */
const readAtOnce = 256 * 1024;

interface ApprovalArgsProps {
  approval: Approval;
  draft: string | undefined;
  /** Called with the edited text, and with the text that was proposed. */
  onDraft: (text: string | undefined, original: string) => void;
}

/** The proposed arguments. Edits show as a diff, before the decision and after it. */
export function ApprovalArgs({ approval, draft, onDraft }: ApprovalArgsProps): ReactNode {
  const write = useRefusal('write');
  const bytes = (approval.argsPayload?.bytes ?? 0) + (approval.editedArgsPayload?.bytes ?? 0);
  const [isWanted, setWanted] = useState(bytes <= readAtOnce);
  const read = useRead(approvalArgsDocument, { id: approval.id }, { hasPayloads: true, isEnabled: isWanted });
  const proposed = read.data?.approval?.argsPayload?.text ?? 'null';
  const edited = readEditedArgs(proposed, draft);
  const isEditing = draft !== undefined;
  return (
    <Panel
      title="Arguments"
      actions={
        isOpen(approval.status) &&
        read.data &&
        (isEditing ? (
          <Button icon={Undo2} onClick={() => onDraft(undefined, proposed)}>
            Discard the edits
          </Button>
        ) : (
          <Button icon={Pencil} refusal={write} onClick={() => onDraft(indentJson(proposed), proposed)}>
            Edit
          </Button>
        ))
      }
    >
      {!isWanted ? (
        <p>
          The arguments have {bytesText(bytes)}. <Button onClick={() => setWanted(true)}>Show them</Button>
        </p>
      ) : (
        <Answer read={read} skeleton={{ rows: 4 }}>
          {({ approval: shown }) => (
            <div className={styles['part']}>
              {isEditing ? (
                <>
                  <JsonField
                    label="Arguments as JSON"
                    rows={Math.min(24, draft.split('\n').length + 1)}
                    error={draft.trim() === '' ? 'Arguments are missing' : undefined}
                    value={draft}
                    onText={(text) => onDraft(text, proposed)}
                  />
                  {edited.kind === 'edited' && <Diff what="Your edits" before={proposed} after={draft} />}
                </>
              ) : shown?.editedArgsPayload ? (
                <>
                  <Payload what="Edited arguments" text={shown.editedArgsPayload.text} />
                  <h3>Changes of the proposed ones</h3>
                  <Diff
                    what="Changes of the proposed arguments"
                    before={proposed}
                    after={shown.editedArgsPayload.text}
                  />
                </>
              ) : (
                <Payload what="Proposed arguments" text={proposed} />
              )}
            </div>
          )}
        </Answer>
      )}
    </Panel>
  );
}
