// A webhook receiver that uses only the standard library. Run it with `go run receiver.go`.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var secret = []byte(os.Getenv("WEBHOOK_SECRET"))

func isGenuine(header string, body []byte) bool {
	var t string
	var signatures []string
	for _, part := range strings.Split(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			t = value
		case "v1":
			signatures = append(signatures, value)
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 300*time.Second {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, signature := range signatures {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

type Event struct {
	Event      string         `json:"event"`
	Attributes map[string]any `json:"attributes"`
}

// In production, store events in a table with a unique event_id. Gatehouse does not repeat a delivery that got 200.
var seen sync.Map

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1_000_000))
	if err != nil || !isGenuine(r.Header.Get("Service-Signature"), body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var message struct{ Data, Error Event }
	if err := json.Unmarshal(body, &message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	event := message.Data
	if event.Event == "" {
		event = message.Error
	}
	_, known := seen.LoadOrStore(event.Attributes["event_id"], true)
	w.WriteHeader(http.StatusOK)
	if !known {
		// Process the event after the response.
		go fmt.Println(event.Event, event.Attributes["status"], event.Attributes["event_id"])
	}
}

func main() {
	if len(secret) == 0 {
		log.Fatal("Set WEBHOOK_SECRET.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	log.Fatal(http.ListenAndServe(":"+port, http.HandlerFunc(receive)))
}
