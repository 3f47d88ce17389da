import { z } from 'zod'
import { environmentVariable, httpAddress } from '../../capability.ts'
import { conventionVersions } from './conventions.ts'

export const telemetrySettings = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether spans of turns, calls and tools are exported.'),
    endpoint: httpAddress()
      .optional()
      .describe(
        'Address of an OTLP collector over HTTP; v1/traces is added to it. Default: OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318.',
      ),
    headersEnv: environmentVariable()
      .default('OTEL_EXPORTER_OTLP_HEADERS')
      .describe('Environment variable with headers for the collector: name=value, several of them with commas.'),
    conventions: z
      .enum(conventionVersions)
      .default('1.41')
      .describe('Version of the GenAI conventions of OpenTelemetry by which attributes are named.'),
    content: z
      .boolean()
      .default(false)
      .describe('Whether messages, instructions, and inputs and results of tools are exported, too.'),
    service: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of this gateway among others: service.name. Default: OTEL_SERVICE_NAME, or foreword.'),
  })
  .prefault({})
  .describe('OpenTelemetry: spans of turns, calls and tools for a collector of yours.')

export type TelemetrySettings = z.output<typeof telemetrySettings>
