import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Code } from './Code.tsx';
import { Dialog } from './Dialog.tsx';
import styles from './SecretDialog.module.css';

interface SecretDialogProps {
  title: string;
  /** What the secret is for, in a sentence. */
  description: string;
  secret: string;
  /** The name of the secret in the label of the copy button: `signing secret`. */
  what: string;
  /** More to store or to do with it, such as a snippet. */
  children?: ReactNode;
  onStored: () => void;
}

/** Shows a secret once. The dialog closes only by the word of the person that it is stored. */
export function SecretDialog({ title, description, secret, what, children, onStored }: SecretDialogProps): ReactNode {
  return (
    <Dialog
      isOpen
      title={title}
      description={description}
      footer={
        <Button kind="primary" onClick={onStored}>
          I have stored it
        </Button>
      }
    >
      <div className={styles['content']}>
        <Code text={secret} what={what} isWrapped />
        <p className={styles['once']}>The service does not show it again.</p>
        {children}
      </div>
    </Dialog>
  );
}
