/** A text in the HTML of a page of Nancy's own, in an attribute in double quotes or as content. */
export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
