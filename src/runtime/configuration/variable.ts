import { z } from 'zod'

/** Name of an environment variable. */
export const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
