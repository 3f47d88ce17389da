/** `undefined` for what cannot be opened. That this process has too many files open hides nothing. */
export async function unlessClosed<Opened>(attempt: () => Promise<Opened>): Promise<Opened | undefined> {
  try {
    return await attempt()
  } catch (error) {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    return undefined
  }
}
