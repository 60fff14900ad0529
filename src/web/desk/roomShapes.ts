import * as z from 'zod/mini';
import { ChangesReply, DiffReply } from '../../protocol/deskRooms.ts';
import { shapeOf } from './shape.ts';

/** What the server may answer to the page's second file, and what that keeps: see shapes.ts. */
export const changesReply = shapeOf(ChangesReply);
export const diffReply = shapeOf(DiffReply);
/** By the key of a delegate. */
export const keptRemarks = shapeOf(
	z.record(z.string(), z.array(z.object({ path: z.string(), line: z.int(), text: z.string() }))),
);
