import { z } from 'zod'

/** A path in settings: relative to the home, and absolute once the configuration is read. */
export function homePath(): z.ZodString
export function homePath(usual: string): z.ZodDefault<z.ZodString>
export function homePath(usual?: string): z.ZodString | z.ZodDefault<z.ZodString> {
  const path = z.string().min(1).meta({ path: true })
  return usual === undefined ? path : path.default(usual)
}
