import { z } from 'zod'
import { type CapabilityHost, inbox } from '../../../capability.ts'
import type { FileOwner } from '../../../session.ts'
import { HttpFailure, requireSession } from '../../../server.ts'
import { ofOwnerAlone } from '../../../runtime.ts'
import type { FileService } from '../file-service.ts'
import { fileOwner } from '../library.ts'

export interface FileOwners extends Pick<CapabilityHost, 'store' | 'clock' | 'choices' | 'records'> {
  readonly service: FileService
}

/** Ids of owners by type; at most one is given. */
export type OwnerFields = Readonly<Record<string, string | undefined>>

/** A session, and every choice of sessions that has files: those that are sent in full first. */
export function ownerTypes({ choices }: Pick<FileOwners, 'choices'>): readonly string[] {
  return ['session', ...choicesWithFiles({ choices })]
}

export function choicesWithFiles({ choices }: Pick<FileOwners, 'choices'>): readonly string[] {
  const withFiles = Object.entries(choices).filter(([, { files }]) => files)
  return withFiles.toSorted(([, a], [, b]) => Number(b.files!.sent) - Number(a.files!.sent)).map(([name]) => name)
}

/** The inbox where no owner is named. Rejects if no owner has this id. */
export async function findOwner(self: FileOwners, given: OwnerFields): Promise<FileOwner> {
  const named = ownerTypes(self).flatMap((type) => (given[type] ? [fileOwner(type, given[type])] : []))
  const [owner, other] = named
  if (!owner) return inbox
  if (other) throw new HttpFailure('invalid-input', `A file has one owner: name ${owner.type} or ${other.type}.`)
  const { type, id } = owner
  if (type !== 'session') await recordOf(self, owner)
  else await requireSession(self.store, id)
  return owner
}

/** Rejects where files of this owner can only be read here: those of a record that the owner of the gateway shares. */
export async function requireOwnFiles(self: FileOwners, owner: FileOwner): Promise<void> {
  if (owner.type === 'session' || (await self.store.record(owner.type, owner.id))) return
  if ((await recordOf(self, owner)).shared) throw ofOwnerAlone(owner.type, 'files of what is shared')
}

function recordOf({ records }: FileOwners, { type, id }: FileOwner) {
  return records({ kind: type, schema: z.unknown(), nameOf: () => '' }).get(id)
}
