import { type ReactNode, useState } from 'react';
import { Dialog } from '../design/index.ts';
import { Bars } from './Bars.tsx';
import styles from './Frame.module.css';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { Search } from './Search.tsx';
import { ShortcutHelp } from './ShortcutHelp.tsx';
import { useShortcuts } from './useShortcuts.ts';

/** The frame of all pages: header bar, navigation, bars about the service, search, shortcuts. */
export function Frame({ children }: { children: ReactNode }): ReactNode {
  const [open, setOpen] = useState<'search' | 'help' | 'navigation'>();
  const close = (): void => setOpen(undefined);
  useShortcuts({ onSearch: () => setOpen('search'), onHelp: () => setOpen('help') });
  return (
    <div className={styles['frame']}>
      <a href="#content" className={styles['skip']}>
        Skip to the page
      </a>
      <Header
        onSearch={() => setOpen('search')}
        onHelp={() => setOpen('help')}
        onNavigation={() => setOpen('navigation')}
      />
      <div className={styles['sidebar']}>
        <Navigation />
      </div>
      <main id="content" className={styles['content']} tabIndex={-1}>
        <Bars />
        {children}
      </main>
      <Search isOpen={open === 'search'} onClose={close} />
      <ShortcutHelp isOpen={open === 'help'} onClose={close} />
      <Dialog isOpen={open === 'navigation'} onClose={close} title="Pages" size="sheet">
        <Navigation onChoose={close} />
      </Dialog>
    </div>
  );
}
