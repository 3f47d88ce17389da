import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { SubjectDetail } from './subjects-detail.tsx'
import { SubjectList } from './subjects-list.tsx'

export default function SubjectsPage(): ReactNode {
  const [search] = useSearchParams()
  const id = search.get('id')
  return id === null ? <SubjectList /> : <SubjectDetail key={id} id={id} />
}
