import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'wouter'
import { RecordEditor, NewRecord } from './records-editor.tsx'
import { RecordList } from './records-list.tsx'
import type { NamedValue, RecordsKind } from './records-kind.ts'

export function RecordsPage<Value extends NamedValue>({ kind }: { readonly kind: RecordsKind<Value> }): ReactNode {
  const [search] = useSearchParams()
  const [saved, setSaved] = useState<{ readonly id: string; readonly warnings: readonly string[] }>()
  const id = search.get('id')
  if (id === null) return <RecordList kind={kind} />
  if (id === 'new') return <NewRecord kind={kind} onSaved={setSaved} />
  return (
    <RecordEditor
      key={id}
      kind={kind}
      id={id}
      warnings={saved?.id === id ? saved.warnings : undefined}
      onSaved={setSaved}
    />
  )
}
