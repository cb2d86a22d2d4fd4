"""Unpacks a server's answer as it comes, and no further than it may be long."""

from __future__ import annotations

import zlib

from probsense.models.openai.faults import Malformed


class Unpacker:
    """Collects the bytes of one answer; no piece is unpacked beyond the most bytes, however much it would give.

    Parameters
    ----------
    encoding : str
        The ``Content-Encoding`` of the answer.
    most : int
        The largest answer, in bytes.

    Raises
    ------
    Malformed
        For an encoding that nobody asked for.
    """

    def __init__(self, encoding: str, most: int) -> None:
        self._most = most
        self._found = bytearray()
        self._encoding = encoding.strip().lower()
        self._stream = None
        if self._encoding in ("gzip", "x-gzip", "deflate"):
            self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)  # Its head tells gzip from zlib.
        elif self._encoding not in ("", "identity"):
            raise Malformed(f"the answer is packed in a way that nobody asked for, {self._encoding[:60]!r}")

    def feed(self, piece: bytes) -> None:
        """Take the next bytes that came.

        Raises
        ------
        Malformed
            If the answer gets too long, or cannot be unpacked.
        """
        self._found += piece if self._stream is None else self._unpacked(piece)
        if len(self._found) > self._most:
            raise Malformed(f"the answer has more than {self._most:,} bytes (see --max-answer)")

    def whole(self) -> bytes:
        """Return the answer."""
        return bytes(self._found)

    def _unpacked(self, piece: bytes) -> bytes:
        assert self._stream is not None
        room = self._most + 1 - len(self._found)
        try:
            return self._stream.decompress(piece, room)
        except zlib.error:
            if self._encoding == "deflate" and not self._found:
                # Some servers leave out the head that RFC 9110 asks for.
                self._encoding, self._stream = "", zlib.decompressobj(-zlib.MAX_WBITS)
                return self._unpacked(piece)
            raise Malformed("the answer cannot be unpacked") from None
