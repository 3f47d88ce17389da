import { lazy, type ComponentType } from 'react'

/** The headings of the list, in its order. */
export const settingsGroups = ['Models', 'What it reads', 'What it may do', 'Money', 'This gateway'] as const

type SettingsGroup = (typeof settingsGroups)[number]

interface SettingsEntry {
  /** In the address: `/settings/ID`. */
  readonly id: string
  readonly title: string
  /** The heading that it stands below in the list. */
  readonly group: SettingsGroup
  readonly component: ComponentType
}

/** The pages of the settings, in the order of their list. Each is loaded when it is opened. */
export const settingsPages: readonly SettingsEntry[] = [
  { id: 'models', title: 'Models', group: 'Models', component: lazy(() => import('./models-page.tsx')) },
  { id: 'prompt', title: 'System prompt', group: 'What it reads', component: lazy(() => import('./prompt-page.tsx')) },
  { id: 'agents', title: 'Agents', group: 'What it reads', component: lazy(() => import('./agents-page.tsx')) },
  { id: 'projects', title: 'Projects', group: 'What it reads', component: lazy(() => import('./projects-page.tsx')) },
  { id: 'subjects', title: 'Subjects', group: 'What it reads', component: lazy(() => import('./subjects-page.tsx')) },
  { id: 'skills', title: 'Skills', group: 'What it reads', component: lazy(() => import('./skills-page.tsx')) },
  {
    id: 'templates',
    title: 'Templates',
    group: 'What it reads',
    component: lazy(() => import('./templates-page.tsx')),
  },
  {
    id: 'tools',
    title: 'Tools and access',
    group: 'What it may do',
    component: lazy(() => import('./tools-page.tsx')),
  },
  {
    id: 'mcp-servers',
    title: 'MCP servers',
    group: 'What it may do',
    component: lazy(() => import('./mcp-servers-page.tsx')),
  },
  {
    id: 'schedules',
    title: 'Schedules',
    group: 'What it may do',
    component: lazy(() => import('./schedules-page.tsx')),
  },
  { id: 'audit', title: 'Audit', group: 'What it may do', component: lazy(() => import('./audit-page.tsx')) },
  { id: 'costs', title: 'Costs and usage', group: 'Money', component: lazy(() => import('./costs-page.tsx')) },
  { id: 'status', title: 'Status', group: 'This gateway', component: lazy(() => import('./status-page.tsx')) },
  {
    id: 'appearance',
    title: 'Appearance and notifications',
    group: 'This gateway',
    component: lazy(() => import('./appearance-page.tsx')),
  },
  { id: 'token', title: 'Token', group: 'This gateway', component: lazy(() => import('./token-page.tsx')) },
  { id: 'backup', title: 'Backup', group: 'This gateway', component: lazy(() => import('./backup-page.tsx')) },
  { id: 'doctor', title: 'Doctor', group: 'This gateway', component: lazy(() => import('./doctor-page.tsx')) },
]
