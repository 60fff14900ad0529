import * as z from 'zod/mini';
import { Phrase } from '../base/phrase.ts';

/** A text for a person, which the window can say in the user's language. As JSON it is the English text. */
export const Said = z.union([z.string(), z.instanceof(Phrase)]);
