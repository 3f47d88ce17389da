import { test } from 'node:test'
import { providerCases } from '../../testing.ts'
import { openaiCompatible } from './openai-compatible.ts'

providerCases(test, { provider: openaiCompatible, model: 'scripted' })
providerCases(test, { provider: openaiCompatible, model: 'other', configuration: { api: 'responses' } })
