import type { FileVersion } from '../../capability.ts'
import type { RecordStore, Write } from '../../session.ts'

const KIND = 'file-version'

/** What keeps a file's content before and after a change, so that it can be put back; what others wrote there, too. */
export async function fileVersionWrites(
  store: Pick<RecordStore, 'record'>,
  change: { readonly file: string; readonly before: string; readonly after: string; readonly time: string },
): Promise<readonly Write[]> {
  const { file, before, after, time } = change
  const last = await store.record(KIND, file)
  const texts = (last?.value as { readonly text: string } | undefined)?.text === before ? [after] : [before, after]
  return texts.map((text) => ({ type: 'record', change: { kind: KIND, id: file, value: { text } }, time }))
}

/** The contents that a file has had, newest first. */
export async function fileVersions(
  store: Pick<RecordStore, 'recordVersions'>,
  file: string,
): Promise<readonly FileVersion[]> {
  return (await store.recordVersions(KIND, file)).map(({ version, time, value }) => ({
    version,
    time,
    text: (value as { readonly text: string }).text,
  }))
}
