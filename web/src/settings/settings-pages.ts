import type { ComponentType } from 'react'
import { late } from '../parts/late.tsx'
import { t } from '../language/language.ts'

/** The headings of the list, in its order. */
export const settingsGroups = [t`Models`, t`What it reads`, t`What it may do`, t`Money`, t`This gateway`] as const

type SettingsGroup = (typeof settingsGroups)[number]

interface SettingsEntry {
  /** In the address: `/settings/ID`. */
  readonly id: string
  readonly title: string
  /** The heading that it stands below in the list. */
  readonly group: SettingsGroup
  readonly component: ComponentType
  /** Its title for everybody but the owner, where that is another one. */
  readonly others?: string
}

/** The pages of the settings, in the order of their list. Each is loaded when it is opened. */
export const settingsPages: readonly SettingsEntry[] = [
  { id: 'models', title: t`Models`, group: t`Models`, component: late(() => import('./models-page.tsx')) },
  {
    id: 'prompt',
    title: t`System prompt`,
    group: t`What it reads`,
    component: late(() => import('./prompt-page.tsx')),
  },
  { id: 'agents', title: t`Agents`, group: t`What it reads`, component: late(() => import('./agents-page.tsx')) },
  { id: 'projects', title: t`Projects`, group: t`What it reads`, component: late(() => import('./projects-page.tsx')) },
  { id: 'subjects', title: t`Subjects`, group: t`What it reads`, component: late(() => import('./subjects-page.tsx')) },
  { id: 'skills', title: t`Skills`, group: t`What it reads`, component: late(() => import('./skills-page.tsx')) },
  {
    id: 'templates',
    title: t`Templates`,
    group: t`What it reads`,
    component: late(() => import('./templates-page.tsx')),
  },
  {
    id: 'tools',
    title: t`Tools and access`,
    group: t`What it may do`,
    component: late(() => import('./tools-page.tsx')),
  },
  {
    id: 'mcp-servers',
    title: t`MCP servers`,
    group: t`What it may do`,
    component: late(() => import('./mcp-servers-page.tsx')),
  },
  {
    id: 'schedules',
    title: t`Schedules`,
    group: t`What it may do`,
    component: late(() => import('./schedules-page.tsx')),
  },
  { id: 'audit', title: t`Audit`, group: t`What it may do`, component: late(() => import('./audit-page.tsx')) },
  { id: 'costs', title: t`Costs and usage`, group: t`Money`, component: late(() => import('./costs-page.tsx')) },
  { id: 'status', title: t`Status`, group: t`This gateway`, component: late(() => import('./status-page.tsx')) },
  {
    id: 'appearance',
    title: t`Appearance and notifications`,
    group: t`This gateway`,
    component: late(() => import('./appearance-page.tsx')),
  },
  { id: 'people', title: t`People`, group: t`This gateway`, component: late(() => import('./people-page.tsx')) },
  {
    id: 'token',
    title: t`Token`,
    others: t`Account`,
    group: t`This gateway`,
    component: late(() => import('./token-page.tsx')),
  },
  { id: 'backup', title: t`Backup`, group: t`This gateway`, component: late(() => import('./backup-page.tsx')) },
  { id: 'doctor', title: t`Doctor`, group: t`This gateway`, component: late(() => import('./doctor-page.tsx')) },
]

/** The pages of somebody, of which the owner has all. */
export function pagesFor(isOwner: boolean, has: (id: string) => boolean): readonly SettingsEntry[] {
  if (isOwner) return settingsPages
  return settingsPages.filter(({ id }) => has(id)).map((page) => ({ ...page, title: page.others ?? page.title }))
}
