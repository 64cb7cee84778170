package segment

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/freshet-dev/freshet/pkg/document"
)

// manifestVersion is the format of manifest and segments that this code
// writes and reads.
const manifestVersion = 1

const manifestMagic = "freshet-store\n"

// manifest names everything that a snapshot consists of. In its file it is
// JSON behind the magic and the version (uint32, little-endian), followed by
// the CRC-32C (little-endian) of all that precedes. Magic, version and
// checksum keep their place in every later version, so that a newer format
// and a damaged file are told apart.
type manifest struct {
	Kind     string          `json:"kind"` // Layout.Kind
	Dims     int             `json:"dims,omitempty"`
	ID       string          `json:"id,omitempty"`
	Position uint64          `json:"position"`
	NextFile uint64          `json:"next_file"`
	Segments []manifestEntry `json:"segments"`
}

type manifestEntry struct {
	File string `json:"file"`
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc"` // CRC-32C of the file
	Rows int    `json:"rows"`
	Dead []byte `json:"dead,omitempty"` // Bits.encode
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var errManifest = errors.New("the manifest is damaged")

func (m *manifest) encode() ([]byte, error) {
	js, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	out := append([]byte(manifestMagic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[len(manifestMagic):], manifestVersion)
	out = append(out, js...)
	return binary.LittleEndian.AppendUint32(out, checksum(out)), nil
}

// decodeManifest reverses encode. A newer version is a
// document.VersionMismatch; any other error means damage.
func decodeManifest(data []byte) (*manifest, error) {
	head := len(manifestMagic) + 4
	if len(data) < head+4 || string(data[:len(manifestMagic)]) != manifestMagic {
		return nil, errManifest
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if checksum(body) != sum {
		return nil, errManifest
	}
	if v := binary.LittleEndian.Uint32(body[len(manifestMagic):]); v > manifestVersion {
		return nil, document.Errorf(document.VersionMismatch,
			"the store has format %d and this version of freshet reads up to %d: use a newer freshet, or delete the folder to build it again", v, manifestVersion)
	}
	m := new(manifest)
	if err := json.Unmarshal(body[head:], m); err != nil {
		return nil, errManifest
	}
	return m, nil
}
