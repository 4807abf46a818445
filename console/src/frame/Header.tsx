import { CircleHelp, KeyRound, LogOut, Menu as MenuIcon, Monitor, Moon, Search, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  Button,
  KeyHint,
  Menu,
  setPreferences,
  usePreferences,
  visibleText,
  wordsOf,
  zoneName,
} from '../design/index.ts';
import { PageLink } from '../router/PageLink.tsx';
import { choosesProject } from '../session/permissions.ts';
import { endSession, useSession } from '../session/session.ts';
import styles from './Header.module.css';
import { ProjectSwitch } from './ProjectSwitch.tsx';

interface HeaderProps {
  onSearch: () => void;
  onHelp: () => void;
  onNavigation: () => void;
}

export function Header({ onSearch, onHelp, onNavigation }: HeaderProps): ReactNode {
  const { viewer } = useSession();
  if (!viewer) return null;
  return (
    <header className={styles['header']}>
      <span className={styles['narrow']}>
        <Button kind="quiet" icon={MenuIcon} isIconOnly onClick={onNavigation}>
          Pages
        </Button>
      </span>
      <PageLink to={['runs']} className={styles['brand']}>
        <span className={styles['mark']} aria-hidden>
          H
        </span>
        <span className={styles['name']}>Holdfast</span>
      </PageLink>
      {choosesProject(viewer.kind) ? (
        <ProjectSwitch />
      ) : (
        <span className={styles['project']} title="Project">
          {visibleText(viewer.project?.name ?? '')}
        </span>
      )}
      <button type="button" className={styles['search']} onClick={onSearch}>
        <Search size={15} aria-hidden />
        <span className={styles['search-text']}>Find a run, an event, a page…</span>
        <KeyHint keys="Ctrl K" />
      </button>
      <div className={styles['end']}>
        <ZoneSwitch />
        <ThemeSwitch />
        <Button kind="quiet" icon={CircleHelp} isIconOnly onClick={onHelp}>
          Keyboard shortcuts
        </Button>
        <Menu
          trigger={
            <Button kind="quiet" icon={KeyRound} isIconOnly>
              {`Key: ${visibleText(viewer.name)}`}
            </Button>
          }
          entries={[
            {
              label: `${visibleText(viewer.actor ?? viewer.name)} · ${wordsOf(viewer.kind).toLowerCase()} key`,
              icon: KeyRound,
              onSelect: () => {},
            },
            { label: 'Sign out', icon: LogOut, onSelect: () => endSession() },
          ]}
        />
      </div>
    </header>
  );
}

function ZoneSwitch(): ReactNode {
  const { zone } = usePreferences();
  const isUtc = zone === 'utc';
  return (
    <Button
      kind="quiet"
      className={styles['zone']}
      aria-pressed={isUtc}
      title="Show all times in UTC"
      onClick={() => setPreferences({ zone: isUtc ? 'local' : 'utc' })}
    >
      {zoneName(zone)}
    </Button>
  );
}

const themes = [
  { value: 'system', label: 'As the system', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;

function ThemeSwitch(): ReactNode {
  const { theme } = usePreferences();
  const shown = themes.find(({ value }) => value === theme) ?? themes[0];
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon={shown.icon} isIconOnly>
          Appearance
        </Button>
      }
      entries={themes.map(({ value, label, icon }) => ({
        label,
        icon,
        isChosen: value === theme,
        onSelect: () => setPreferences({ theme: value }),
      }))}
    />
  );
}
