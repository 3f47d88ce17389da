import { z } from 'zod'
import { environmentVariable, homePath } from '../../capability.ts'
import { SCHEMA_NAME } from '../../session.ts'

/** Where sessions, calls and contents are kept: the address of a database, or with what else it takes. */
const storeAddress = z
  .string()
  .regex(/^postgres(?:ql)?:\/\/./, 'must be an address such as postgres://USER@HOST/DATABASE')
  .describe('Address of a PostgreSQL database: postgres://USER@HOST:PORT/DATABASE.')

export const storeSetting = z.union([
  storeAddress,
  z.strictObject({
    address: storeAddress,
    schema: z
      .string()
      .regex(SCHEMA_NAME, 'must have up to 50 lower case letters, digits and underscores, and not begin with pg_')
      .optional()
      .describe('Schema with the tables: one database may have many homes, each in its own. `foreword` unless given.'),
    readers: z.int().min(1).max(50).optional().describe('How many connections read at once. 4 unless given.'),
    passwordEnv: environmentVariable()
      .default('FOREWORD_STORE_PASSWORD')
      .describe('Environment variable that holds the password.'),
    passwordFile: homePath({ path: 'file' }).optional().describe('File that holds the password.'),
    tls: z
      .enum(['off', 'encrypted', 'verified'])
      .optional()
      .describe('`verified`: the server must show a valid certificate for its host. `encrypted`: any certificate.'),
    authoritiesFile: homePath({ path: 'file' })
      .optional()
      .describe('File with the certificates of authorities that `verified` accepts besides the usual ones, PEM.'),
    files: z
      .strictObject({
        address: z
          .string()
          .regex(/^https?:\/\/[^/?#@]+(?:\/[\w.-]+)+\/?$/, 'must be an address such as https://HOST/BUCKET/PREFIX')
          .describe('Where the bucket is: https://HOST/BUCKET, or https://HOST/BUCKET/PREFIX.'),
        region: z.string().min(1).default('us-east-1').describe('Region of the bucket.'),
        accessKeyEnv: environmentVariable()
          .default('AWS_ACCESS_KEY_ID')
          .describe('Environment variable that holds the id of the key.'),
        secretKeyEnv: environmentVariable()
          .default('AWS_SECRET_ACCESS_KEY')
          .describe('Environment variable that holds the key.'),
      })
      .optional()
      .describe('Bucket of a service that speaks S3, for the bytes of files. They are in the database unless given.'),
  }),
])
