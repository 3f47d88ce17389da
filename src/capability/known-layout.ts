import type { Layout, LayoutChoice } from '../context.ts'

/** The layout of a name: a built-in one by its name, a contributed one as a value. `undefined` if it no longer exists. */
export async function knownLayout(
  name: string | undefined,
  known: Readonly<Record<string, Layout>>,
): Promise<LayoutChoice | undefined> {
  if (name === undefined || !Object.hasOwn(known, name)) return undefined
  // Loaded when it is called: a module that declares a capability loads no core.
  const { layouts } = await import('../context.ts')
  return known[name] === layouts[name] ? name : known[name]
}
