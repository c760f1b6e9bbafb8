/** Presents a timeline entry to operators. */
import { presentFinding } from '../../contracts/decision.ts'
import { presenterOf } from '../../contracts/record.ts'
import { noteResponse } from '../../contracts/timeline.ts'
import type { TimelineEntry } from '../../domain/decision/timeline.ts'

const present = presenterOf(noteResponse.shape.data)

export const presentEntry = (entry: TimelineEntry) =>
  present({ ...entry, findings: entry.findings.map(presentFinding), occurredAt: entry.createdAt })
