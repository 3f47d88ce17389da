import { capabilitiesOf, capability } from '../../capability.ts'
import type { BackupService } from './backup-state.ts'

/** A restore that a crash interrupted is completed by the next start before there are capabilities: that is the runtime's. */
export const backup = capability<undefined, BackupService>({
  name: 'backup',
  summary: 'the whole home as one archive, and back',
  commands: {
    backup: async () => (await import('./cli/backup.ts')).backupCommand,
    restore: async () => (await import('./cli/backup.ts')).restoreCommand,
    compact: async () => (await import('./cli/backup.ts')).compactCommand,
  },
  async start(host) {
    const { createBackupService } = await import('./backup-service.ts')
    const { home, environment, store, version, clock } = host
    const capabilities = () => capabilitiesOf(host.runtime)
    return createBackupService({ home: home.folder, environment, capabilities, store, version, clock })
  },
  http: { routes: async ({ service }) => (await import('./http/backup-routes.ts')).backupRoutes(service) },
  stop: ({ service }) => service.close(),
})
